"""Windows: filters, convolutions and stencils, each cell of a window of cells."""
