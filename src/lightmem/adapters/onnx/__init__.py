"""Text encoders and the ranker on ONNX Runtime."""

from lightmem.adapters.onnx.encoder import OnnxEncoder, open_encoder
from lightmem.adapters.onnx.ranker import OnnxRanker, open_ranker

__all__ = ["OnnxEncoder", "OnnxRanker", "open_encoder", "open_ranker"]
