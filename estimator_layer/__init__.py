"""The Estimator floor, which hides the Session: still to be built on top of tinyflow."""


def __getattr__(name):
    if name.startswith("__"):  # import machinery and tools probe for these and expect "no"
        raise AttributeError(name)
    raise NotImplementedError(
        f"tf.estimator.{name}: the Estimator floor of tinyflow (package estimator_layer) is not "
        "built yet. What exists is the lowest floor: placeholders, Variables, tf.train, "
        "Session.run."
    )
