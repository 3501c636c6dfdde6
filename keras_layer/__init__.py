"""The Keras floor, the high level that hides the ops: still to be built on top of tinyflow."""


def __getattr__(name):
    if name.startswith("__"):  # import machinery and tools probe for these and expect "no"
        raise AttributeError(name)
    raise NotImplementedError(
        f"tf.keras.{name}: the Keras floor of tinyflow (package keras_layer) is not built yet. "
        "What exists is the floor below: placeholders, Variables, tf.train, Session.run."
    )
