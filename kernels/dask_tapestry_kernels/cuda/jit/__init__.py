"""CUDA programs in general: compiled by a child process, kept on disk, loaded and launched."""
