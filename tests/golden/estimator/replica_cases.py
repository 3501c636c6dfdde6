"""Ready-made estimators under a MirroredStrategy of two replicas (Python 3.7 compatible)."""
from tests.golden.estimator import canned_cases
from tests.golden.estimator.head_cases import plain

NAMES = ['linear_classifier', 'linear_regressor', 'dnn_classifier', 'dnn_classifier_3',
         'dnn_classifier_3_decayed', 'dnn_regressor', 'dnn_regressor_2_mean',
         'combined_classifier', 'combined_regressor', 'baseline_classifier',
         'baseline_classifier_3', 'baseline_regressor', 'dnn_multi_head', 'linear_poisson']


def run(tf, name, model_dir):
    """{'losses', 'metrics', 'predictions', ...} of 25 steps, two batches each."""
    strategy = tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1'])
    config = tf.estimator.RunConfig(
        model_dir=model_dir, tf_random_seed=5, train_distribute=strategy,
        session_config=tf.ConfigProto(device_count={'CPU': 2}, allow_soft_placement=True))
    case = canned_cases.cases(tf)[name]
    estimator = case.make(canned_cases.Columns(tf), config=config)
    losses = []

    class Losses(tf.train.SessionRunHook):
        """Keeps the loss of each step."""

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(run_context.original_args.fetches[1])

        def after_run(self, run_context, run_values):
            losses.append(plain(run_values.results))

    estimator.train(canned_cases.input_fn(tf, case.labels, True), steps=25, hooks=[Losses()])
    found = canned_cases.results(tf, case, estimator)
    found['losses'] = losses
    return found


def values(tf, path):
    reader = tf.train.NewCheckpointReader(path)
    return {key: plain(reader.get_tensor(key))
            for key in sorted(reader.get_variable_to_shape_map())}
