"""The explorer's page and the recorder: sizes, times, memory.

    python benchmarks/explorer.py

Pages of graphs with 100, 3,441 (ResNet50) and 20,000 nodes are opened in headless Chromium, which
Playwright drives. The first picture is there when the page's scripts have drawn it; a click is the
opening or closing of a scope, or the choice of a node, until the next frame is shown. The cost of a
recording is the time of a step with all values recorded, next to a plain one, by turns.
"""
from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import tinyflow as tf
from tinyflow.inspect.explorer import explore

BROWSERS = ('chromium', 'chromium-browser', 'google-chrome')
TARGETS = {100: 0.3, 3441: 1.0, 20_000: 3.0}        # seconds to the first picture
CLICK = 0.1
RECORDING = 3.0
CLICKS = """async () => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  const time = async f => {
    const start = performance.now(); f(); await frame(); return performance.now() - start;
  };
  const items = explorer.picture.items().map(place => place.item);
  const scopes = items.filter(item => item.children.length && !item.open).slice(0, 8);
  const leaves = items.filter(item => !item.children.length);
  const times = [];
  for (const scope of scopes) {
    times.push(await time(() => explorer.toggle(scope)));
    times.push(await time(() => explorer.toggle(scope)));
  }
  for (let i = 0; i < 8 && leaves.length; i++) {
    times.push(await time(() => explorer.select(leaves[i * 997 % leaves.length])));
  }
  return {ready: explorer.ready, times, shown: items.length};
}"""


def network(layers):
    """An MLP's training graph."""
    x = tf.placeholder(tf.float32, [None, 64], name='x')
    for i in range(layers):
        x = tf.layers.dense(x, 64, tf.nn.relu, name=f'layer{i}')
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(x))


def random_graph(nodes):
    """Additions of earlier results, twenty to a scope, ten scopes to a scope."""
    chance = random.Random(1)
    values = [tf.placeholder(tf.float32, [], name='x')]
    block = 0
    while len(tf.get_default_graph().get_operations()) < nodes:
        with tf.name_scope(f'part{block // 10}'), tf.name_scope(f'block{block}'):
            for _ in range(20):
                values.append(tf.add(values[-chance.randint(1, min(200, len(values)))], values[-1]))
        block += 1


def pages(folder):
    """Makes the pages: {title: (path, seconds to make it, limit of the first picture)}."""
    found = {}
    for title, size, make in (('MLP', 100, lambda: network(3)),
                              ('ResNet50', 3441, lambda: tf.keras.applications.ResNet50(
                                  weights=None)),
                              ('random graph', 20_000, lambda: random_graph(20_000))):
        with tf.Graph().as_default() as graph:
            make()
            count = len(graph.get_operations())
            start = time.perf_counter()
            path = Path(folder) / f'{size}.html'
            explore(graph, path)
            found[f'{title}, {count:,} nodes'] = path, time.perf_counter() - start, TARGETS[size]
    return found


def open_pages(made, rounds):
    """Prints a row for each page."""
    from playwright.sync_api import sync_playwright
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print('There is no browser: apt-get install chromium')
        return
    print('| graph | file | made in | first picture (limit) | click: median, most | memory |')
    print('|---|---:|---:|---:|---:|---:|')
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=['--no-sandbox'])
        for title, (path, seconds, limit) in made.items():
            ready, clicks, heap = [], [], []
            for _ in range(rounds):
                context = browser.new_context(viewport={'width': 1200, 'height': 800})
                page = context.new_page()
                page.goto(path.as_uri())
                page.wait_for_function('explorer.ready')
                page.evaluate(CLICKS)                       # the browser compiles what it runs
                found = page.evaluate(CLICKS)
                ready.append(found['ready'] / 1000)
                clicks += found['times']
                heap.append(page.evaluate('performance.memory.usedJSHeapSize'))
                context.close()
            print(f'| {title} | {path.stat().st_size / 1e6:.2f} MB | {seconds:.2f} s '
                  f'| {statistics.median(ready):.2f} s ({limit:g} s) '
                  f'| {statistics.median(clicks):.0f} ms, {max(clicks):.0f} ms ({CLICK * 1e3:.0f}) '
                  f'| {statistics.median(heap) / 1e6:.0f} MB |')
        browser.close()


def recording(rounds):
    """Prints what recording costs."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 784])
        y = tf.placeholder(tf.int32, [None])
        logits = tf.layers.dense(tf.layers.dense(x, 512, tf.nn.relu), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
        train = tf.train.AdamOptimizer().minimize(loss)
        chance = np.random.RandomState(0)
        feed = {x: chance.rand(128, 784).astype(np.float32), y: chance.randint(0, 10, 128)}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())

            def seconds(steps=20):
                session.run([loss, train], feed)
                start = time.perf_counter()
                for _ in range(steps):
                    session.run([loss, train], feed)
                return (time.perf_counter() - start) / steps
            seconds()
            ratios, plain = [], []
            for _ in range(rounds):
                plain.append(seconds())
                with tf.record(session, limit='1 GB'):
                    ratios.append(seconds() / plain[-1])
                after = seconds()
            print(f'\nA step of the MLP 784-512-10, batch 128, Adam: '
                  f'{statistics.median(plain) * 1e3:.2f} ms; with all values recorded '
                  f'{statistics.median(ratios):.2f} times that (limit {RECORDING:g}); '
                  f'afterwards {after / plain[-1]:.2f} times.')


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--rounds', type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        open_pages(pages(folder), rounds)
    recording(2 * rounds + 1)


if __name__ == '__main__':
    main()
