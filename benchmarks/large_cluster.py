"""Asynchronous training with up to 1,000 workers, simulated event by event, and its plot.

    python benchmarks/large_cluster.py [--plot FILE]

Nothing here is measured: it says where servers become the limit, under these assumptions. A worker
computes for 20 ms (drawn from 16 to 24), then sends 1.6 MB of gradients, spread over all servers,
at 1.2 GB/s; a server is busy for 2 ms of each step, divided by the number of servers, and serves in
the order of arrival. The times for an all-reduce are the formula of a ring, without waiting.
"""

from __future__ import annotations

import argparse
import heapq
import random
from pathlib import Path

COMPUTE, BUSY, LATENCY = 0.020, 0.002, 0.0001          # seconds
NBYTES, PER_SECOND = 1.6e6, 1.2e9
WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SERVERS = (1, 4, 16, 64)


def steps_a_second(workers, servers, seconds=4.0, seed=0):
    """The simulated rate of all workers together, after a first second that is not counted."""
    draw = random.Random(seed)
    transfer = LATENCY + NBYTES / PER_SECOND
    free_at = [0.0] * servers
    arrivals = [(draw.uniform(0, COMPUTE), worker) for worker in range(workers)]
    heapq.heapify(arrivals)
    done = 0
    while arrivals[0][0] < seconds + 1:
        now, worker = heapq.heappop(arrivals)
        finished = now
        for server in range(servers):               # its part of the Variables on each
            free_at[server] = max(free_at[server], now) + BUSY / servers
            finished = max(finished, free_at[server])
        done += now >= 1
        next_step = finished + 2 * transfer + COMPUTE * draw.uniform(0.8, 1.2)
        heapq.heappush(arrivals, (next_step, worker))
    return done / seconds


def ring_seconds(workers, nbytes):
    """The time of an all-reduce in a ring: 2 (n - 1) messages of 1 / n of the bytes."""
    return 2 * (workers - 1) * (30e-6 + nbytes / workers / PER_SECOND)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plot", type=Path, metavar="FILE",
                        default=Path(__file__).resolve().parent / "out" / "large_cluster.svg")
    options = parser.parse_args()
    rates = {servers: [steps_a_second(workers, servers) for workers in WORKERS]
             for servers in SERVERS}
    print("simulated steps a second, all workers together")
    print(f"{'workers':>8}" + "".join(f"{f'{n} servers':>12}" for n in SERVERS)
          + f"{'ring of 1.6 MB':>18}")
    for i, workers in enumerate(WORKERS):
        print(f"{workers:>8}" + "".join(f"{rates[n][i]:12,.0f}" for n in SERVERS)
              + f"{1000 * ring_seconds(workers, NBYTES):15.1f} ms")
    draw_plot(rates, options.plot)
    print(f"the plot: {options.plot}")


def draw_plot(rates, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(7, 4.5), constrained_layout=True)
    for servers, values in rates.items():
        axes.loglog(WORKERS, values, marker="o", markersize=3,
                    label=f"{servers} server" + "s" * (servers > 1))
    alone = rates[SERVERS[-1]][0]
    axes.loglog(WORKERS, [alone * n for n in WORKERS], ":", color="grey", label="no limit")
    axes.set_xlabel("workers")
    axes.set_ylabel("steps a second, together")
    axes.set_title("Simulated: where parameter servers become the limit")
    axes.grid(True, which="both", alpha=0.2)
    axes.legend()
    figure.savefig(path)


if __name__ == "__main__":
    main()
