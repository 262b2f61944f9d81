import io

from dask_tapestry.diagnostics.progress_drawing import ProgressDrawing, in_notebook

from .reports import job, report, step


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_log_has_lines_and_the_whole_at_the_end():
    file = io.StringIO()
    drawing = ProgressDrawing(lambda: report(job(step())), file, every=60)
    drawing.draw()
    drawing.draw()
    assert file.getvalue().count("\n") == 1
    drawing.draw(last=True)
    assert "1/4" in file.getvalue()


def test_a_terminal_is_drawn_over():
    file = Terminal()
    drawing = ProgressDrawing(lambda: report(job(step())), file)
    drawing.draw()
    drawing.draw()
    assert "\x1b[3A" in file.getvalue()


def test_a_report_that_fails_does_not_end_the_drawing():
    def gone():
        raise OSError("no scheduler")

    drawing = ProgressDrawing(gone, io.StringIO(), every=0.01)
    drawing.start()
    drawing.stop()
    assert not in_notebook()
