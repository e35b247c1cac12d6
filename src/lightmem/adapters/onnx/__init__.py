"""Text encoders, the ranker and the proposer of changes on ONNX Runtime."""

from lightmem.adapters.onnx.changes import OnnxChangeProposer, open_changes
from lightmem.adapters.onnx.encoder import OnnxEncoder, open_encoder
from lightmem.adapters.onnx.ranker import OnnxRanker, open_ranker

__all__ = [
    "OnnxChangeProposer",
    "OnnxEncoder",
    "OnnxRanker",
    "open_changes",
    "open_encoder",
    "open_ranker",
]
