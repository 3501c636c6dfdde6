"""What growth.py and load.py write: the numbers, and a picture of one panel for each series."""

import json

COLOURS = "#2a7f62", "#c8553d"  # of tinyflow, of TensorFlow


def write(options, results, panels, width):
    """Writes `results` to options.json, and the picture to options.plot if matplotlib is there.

    `panels` is a list of functions, each of which draws into the axes that it is given.
    """
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed (it comes with the 'dev' extra)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(width * len(panels), 3.4), layout="constrained", squeeze=False
    )
    for each, draw in zip(axes[0], panels):
        draw(each)
        each.grid(color="#dddddd")
    axes[0][0].set_ylabel("ms a step")
    axes[0][0].legend(frameon=False)
    options.plot.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.plot, dpi=120)
    print(f"wrote {options.plot}")
