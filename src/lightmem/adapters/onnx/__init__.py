"""Text encoders on ONNX Runtime."""

from lightmem.adapters.onnx.encoder import OnnxEncoder, open_encoder

__all__ = ["OnnxEncoder", "open_encoder"]
