"""The figures of a soak over time."""
from measure import KINDS


def draw(path, samples, events, title):
    try:
        import matplotlib
    except ImportError:
        print("soak: no picture: matplotlib is not installed")
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "takt"
    from matplotlib import pyplot

    minutes = [seconds / 60 for seconds, _ in samples]
    figure, axes = pyplot.subplots(len(KINDS), sharex=True, figsize=(9, 9), layout="constrained")
    for axis, (kind, (unit, _, _)) in zip(axes, KINDS.items()):
        axis.plot(minutes, [values[kind] for _, values in samples], linewidth=0.9, color="#1f6feb")
        axis.set_ylabel(f"{kind}\n{unit}".strip().replace(" ", "\n"), rotation=0, ha="right", va="center")
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    for seconds, name in events:
        if name in ("full_disk", "suspension", "clock_step"):
            axes[0].axvline(seconds / 60, linewidth=0.4, color="#cf222e", alpha=0.5)
    axes[0].set_title(title, loc="left", fontsize=10)
    axes[-1].set_xlabel("minutes")
    figure.savefig(path, metadata={"Date": None})
