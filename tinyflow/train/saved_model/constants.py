"""Names of the files and collections of a SavedModel."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing

ASSETS_DIRECTORY = 'assets'
ASSETS_KEY = 'saved_model_assets'
TENSOR = '\0tensor'      # in a function's arguments: any tensor of the dtype and shape
FUNCTIONS_KEY = 'tinyflow_functions'         # SignatureDefs of an object's functions
INIT_OP_SIGNATURE_KEY = '__saved_model_init_op'
LEGACY_INIT_OP_KEY = 'legacy_init_op'
MAIN_OP_KEY = 'saved_model_main_op'
SAVED_MODEL_FILENAME_PB = 'saved_model.pb'
SAVED_MODEL_FILENAME_PBTXT = 'saved_model.pbtxt'
SAVED_MODEL_SCHEMA_VERSION = 1
TRAIN_OP_KEY = 'saved_model_train_op'
TRAIN_OP_SIGNATURE_KEY = '__saved_model_train_op'
VARIABLES_DIRECTORY = 'variables'
VARIABLES_FILENAME = 'variables'
VARIABLES_KEY = 'tinyflow_variables'         # names of an object's Variables

__getattr__ = _explain_missing('tinyflow.saved_model.constants', globals())
