"""k-means clustering: the estimators, their graph, and the choice of the initial centers."""
