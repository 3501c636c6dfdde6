"""Moving about in the page, in a real browser."""
from __future__ import annotations

import json

import pytest

from tests.inspect.explorer import documents


@pytest.fixture(scope='module')
def network():
    return documents.network()


def shown(page):
    """Labels of the closed boxes in the picture."""
    return page.evaluate('''explorer.picture.items().filter(({item}) => !item.open)
                            .map(({item}) => item.name)''')


def selected(page):
    return page.evaluate('explorer.state.selected && explorer.state.selected.name')


def box(page, name):
    return page.locator(f'#world .item[data-name={json.dumps(name)}]')


def place(page, name):
    return box(page, name).bounding_box()


@pytest.mark.slow
def test_first_view_has_the_layers_and_fits(opened, network):
    page = opened(network)
    assert set(shown(page)) == {'x', 'dense', 'loss', 'dense_1', 'gradients', 'Adam', 'init',
                                'beta1_power', 'beta2_power'}
    canvas = page.locator('#picture').bounding_box()
    for name in shown(page):
        inner = place(page, name)
        assert canvas['x'] <= inner['x'] and inner['x'] + inner['width'] <= (
            canvas['x'] + canvas['width'])
        assert canvas['y'] <= inner['y'] and inner['y'] + inner['height'] <= (
            canvas['y'] + canvas['height'])
    # Forward flows down; gradients begin next to the loss.
    heights = [place(page, name)['y'] for name in ('x', 'dense', 'dense_1', 'loss')]
    assert heights == sorted(heights)
    assert place(page, 'gradients')['x'] > place(page, 'dense')['x'] + 100
    assert 'Dense(4, relu)' in box(page, 'dense').text_content()


@pytest.mark.slow
def test_a_click_opens_a_scope_in_place_and_its_title_closes_it(opened, network):
    page = opened(network)
    before = place(page, 'dense')
    box(page, 'dense').click()
    assert {'dense/kernel', 'dense/MatMul', 'dense/bias'} <= set(shown(page))
    assert box(page, 'dense').get_attribute('aria-expanded') == 'true'
    after = place(page, 'dense')
    assert abs(after['x'] - before['x']) < 3 and abs(after['y'] - before['y']) < 3
    page.wait_for_timeout(400)                  # a second click at once would be a double click
    box(page, 'dense').locator('.head').click()
    assert 'dense/MatMul' not in shown(page)


@pytest.mark.slow
def test_slots_and_initial_values_are_in_their_variable(opened, network):
    page = opened(network)
    page.evaluate('explorer.reveal("dense/kernel")')
    assert '+ Adam, Adam_1' in box(page, 'dense/kernel').text_content()
    assert page.evaluate('explorer.reveal("dense/kernel/Adam")')
    assert {'dense/kernel/Adam', 'dense/kernel/Initializer'} <= set(shown(page))


@pytest.mark.slow
def test_what_a_node_tells(opened, network):
    page = opened(network)
    page.evaluate('explorer.reveal("dense/MatMul")')
    text = page.locator('#panel').inner_text()
    for part in ('MatMul', 'float32 [?, 4]', 'documents.py:', '<b>not bold</b>', 'Inputs (2)',
                 'dense/kernel/read', 'def gradient(op', 'gradients/dense/MatMul_grad/MatMul'):
        assert part in text
    page.locator('#panel').get_by_role('button', name='dense/BiasAdd', exact=True).click()
    assert selected(page) == 'dense/BiasAdd'
    edges = page.locator('#world .edges .lit')
    assert {'in', 'out'} <= set(' '.join(
        edges.evaluate_all('found => found.map(e => e.getAttribute("class"))')).split())


@pytest.mark.slow
def test_search_lists_hits_and_goes_there(opened, network):
    page = opened(network)
    page.keyboard.press('/')
    page.keyboard.type('matmul_grad matmul')
    hits = page.locator('#hits [role=option]')
    assert hits.count() >= 4
    assert 'hit' in page.locator('#hit-count').inner_text()
    page.keyboard.press('ArrowDown')
    page.keyboard.press('Enter')
    assert 'MatMul_grad' in selected(page)
    assert page.evaluate('document.activeElement.classList.contains("item")')
    assert not page.locator('#hits').is_visible()


@pytest.mark.slow
def test_keyboard_alone(opened, network):
    page = opened(network)
    page.locator('#picture').focus()
    assert selected(page) == 'x'
    page.keyboard.press('ArrowDown')
    assert selected(page) == 'dense'
    page.keyboard.press('Enter')
    assert 'dense/MatMul' in shown(page)
    page.keyboard.press('ArrowDown')
    assert selected(page).startswith('dense')
    page.keyboard.press('Escape')
    page.evaluate('explorer.select("dense/Relu")')
    page.keyboard.press('?')
    assert page.locator('#help').is_visible()
    page.keyboard.press('Escape')
    assert not page.locator('#help').is_visible()
    scale = page.evaluate('explorer.view.now().k')
    page.keyboard.press('+')
    assert page.evaluate('explorer.view.now().k') > scale
    page.keyboard.press('0')
    focused = page.evaluate('document.activeElement.getAttribute("role")')
    assert focused == 'treeitem'


@pytest.mark.slow
def test_wheel_drag_and_map_move_the_view(opened, network):
    page = opened(network)
    now = lambda: page.evaluate('explorer.view.now()')          # noqa: E731
    start = now()
    page.mouse.move(500, 700)
    page.mouse.wheel(0, -300)
    page.wait_for_function(f'explorer.view.now().k > {start["k"]}')
    page.wait_for_timeout(100)                  # the wheel turns smoothly
    before = now()
    page.mouse.down()
    page.mouse.move(460, 640, steps=4)
    page.mouse.up()
    after = now()
    assert (after['x'], after['y']) == (before['x'] - 40, before['y'] - 60)
    page.locator('#map').click(position={'x': 20, 'y': 20})
    assert now()['x'] > after['x']
    page.locator('#fit').click()
    assert now() == start
    page.evaluate('''for (const [name, id, x] of [
            ['down', 1, 300], ['down', 2, 400], ['move', 2, 500]]) {
      explorer.get('picture').dispatchEvent(new PointerEvent('pointer' + name,
        {pointerId: id, clientX: x, clientY: 400, bubbles: true})); }''')
    assert now()['k'] == pytest.approx(2 * start['k'])          # two fingers, twice as far apart


@pytest.mark.slow
def test_the_path_between_two_nodes(opened, network):
    page = opened(network)
    box(page, 'x').click()
    box(page, 'loss').click(modifiers=['Shift'])
    assert 'on the paths to' in page.locator('#panel').inner_text()
    near = page.locator('#world .near').evaluate_all('found => found.map(e => e.item.name)')
    assert set(near) == {'x', 'dense', 'dense_1', 'loss'}
    assert 'loss' not in page.evaluate(
        '[...document.querySelectorAll(".open")].map(e => e.item.name)')


@pytest.mark.slow
def test_back_forward_and_a_link_to_a_view(opened, network):
    page = opened(network)
    box(page, 'dense').click()
    page.evaluate('explorer.select("dense/MatMul")')
    page.evaluate('explorer.select("dense/Relu")')
    page.locator('#back').click()
    page.wait_for_function('explorer.state.selected.name === "dense/MatMul"')
    page.locator('#forward').click()
    page.wait_for_function('explorer.state.selected.name === "dense/Relu"')
    link, view = page.evaluate('[explorer.links.address(), explorer.view.now()]')
    other = opened(network, link)
    assert selected(other) == 'dense/Relu'
    assert 'dense/MatMul' in shown(other)
    assert abs(other.evaluate('explorer.view.now()')['x'] - view['x']) <= 1


@pytest.mark.slow
def test_dark_light_and_a_phone(opened, network):
    page = opened(network, color_scheme='dark', has_touch=True,
                  viewport={'width': 390, 'height': 800})
    back = lambda: page.evaluate('getComputedStyle(document.body).backgroundColor')   # noqa: E731
    dark = back()
    page.locator('#theme').tap()
    assert back() == 'rgb(255, 255, 255)' != dark
    panel, picture = place_of(page, 'aside'), place_of(page, '#picture')
    assert panel['y'] >= picture['y'] + picture['height'] - 1
    assert page.evaluate('document.documentElement.scrollWidth') <= 390
    box(page, 'dense').tap()
    assert 'dense/MatMul' in shown(page)


def place_of(page, selector):
    return page.locator(selector).bounding_box()


@pytest.mark.slow
def test_colours_badges_and_panels_of_others(opened, network):
    run = {'fetches': ['loss/Mean:0'], 'seconds': {'5': 1e-3, '9': 2e-3}}
    page = opened({**network, 'runs': [run]})
    assert page.locator('#colours option').all_inner_texts() == ['kind', 'dtype', 'time']
    page.locator('#colours').select_option('time')
    assert 'of 3.00 ms' in page.locator('#legend').inner_text()
    assert page.locator('.item.coloured').count()
    page.evaluate('''explorer.panels.add({id: 'other', title: 'Other', applies: () => true,
        render: (element, state) => element.append('<i>' + state.selected.name)});
        explorer.select('x'); explorer.mark(new Map([[0, 'NaN']]))''')
    page.get_by_role('tab', name='Other').click()
    assert page.locator('#panel').inner_text() == '<i>x'
    assert page.locator('.badge').text_content() == 'NaN'


@pytest.mark.slow
def test_repeats_hubs_weights_and_long_scopes(opened):
    """Blocks as one, what all use as stubs, weights inside their node, folded columns."""
    document = documents.chain(30, 4, repeats=[[f'block_{i}' for i in range(5, 25)]])
    nodes = document['nodes']
    nodes.append({'n': 'rate', 'o': 'Const', 'k': 'constant', 't': [['float32', []]]})
    nodes.append({'n': 'w', 'o': 'VariableV2', 'k': 'variable', 't': [['float32', [3]]],
                  'w': 'kernel [3]'})
    for node in nodes[:-2]:
        node.setdefault('i', []).append([120, 0])
    nodes[1]['i'].append([121, 0])
    page = opened(document)
    assert 'block_5 ×20' in shown(page) and 'block_7' not in shown(page)
    assert page.locator('.stub', has_text='rate').count() == 11
    assert 'w' not in shown(page)
    page.evaluate('explorer.reveal("w")')
    assert 'kernel [3]' in page.locator('.item.chosen').text_content()
    page.evaluate('explorer.toggle(explorer.model.item("block_5 ×20"))')
    assert 'block_7' in shown(page)
    lefts = page.evaluate('''["block_6", "block_22"].map(
        name => explorer.picture.box(explorer.model.item(name)).x)''')
    assert lefts[1] - lefts[0] > 100


@pytest.mark.slow
def test_nested_scopes_and_many_next_to_the_network(opened):
    """Scopes with one scope in each are one, of any depth; what initialises is one item."""
    deep = '/'.join(['deep'] * 2000)
    names = ['a/b/c/d/x', 'a/b/c/d/y', f'{deep}/x', f'{deep}/y', *[f'init_{i}' for i in range(6)]]
    page = opened({'format': 1, 'title': 'Deep', 'kind': 'graph', 'nodes': [
        {'n': name, 'o': 'NoOp', **({'p': 'init'} if name.startswith('init') else {})}
        for name in names]})
    labels = page.evaluate('explorer.model.root.children.map(item => item.label)')
    assert labels[0] == 'a/b/c/d' and labels[1] == deep
    assert labels[2:] == ['initial values, saving']
    page.evaluate('explorer.reveal("init_3")')
    assert 'init_3' in shown(page)
    page.keyboard.press('Escape')
    assert 'null' not in page.locator('#panel').inner_text()


@pytest.mark.slow
def test_hostile_texts_do_nothing(opened):
    page = opened(documents.hostile())
    page.evaluate('''explorer.openAll(explorer.model.root, true);
        for (const item of [...explorer.model.ofNode, ...explorer.model.byName.values()]) {
          explorer.reveal(item);
          explorer.search.find(item.name.slice(0, 50));
        }
        for (const id of ['device', 'dtype', 'time', 'memory']) { explorer.colours.use(id); }''')
    assert page.evaluate('window.harmed') is None
    assert page.locator('img, script[src]').count() == 0
    assert page.evaluate('Object.keys(Object.prototype).length') == 0
