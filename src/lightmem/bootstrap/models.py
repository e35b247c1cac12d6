"""The small language model and the responder, by the kind of their URLs."""

from contextlib import AsyncExitStack
from urllib.parse import urlsplit

from lightmem.errors import InvalidInput
from lightmem.ports import LanguageModel
from lightmem.settings import Settings


def _language_model(
    field: str, url: str, name: str, *, api_key: str | None, threads: int
) -> LanguageModel:
    match urlsplit(url).scheme:
        case "ollama":
            from lightmem.adapters.ollama import OllamaLanguageModel

            return OllamaLanguageModel(url, name, threads=threads)
        case "openai+http" | "openai+https":
            from lightmem.adapters.openai import OpenAiLanguageModel

            return OpenAiLanguageModel(url, name, api_key=api_key)
        case scheme:
            raise InvalidInput.of(field, f"unknown kind {scheme!r}")


def open_model(stack: AsyncExitStack, settings: Settings) -> LanguageModel | None:
    if not settings.model_url:
        return None
    model = _language_model(
        "LIGHTMEM_MODEL_URL",
        settings.model_url,
        settings.model_name,
        api_key=settings.model_api_key,
        threads=settings.model_threads or settings.cpus,
    )
    stack.push_async_callback(model.close)
    return model


def open_responder(
    stack: AsyncExitStack, settings: Settings, model: LanguageModel | None
) -> LanguageModel | None:
    if not settings.responder_url:
        return model
    responder = _language_model(
        "LIGHTMEM_RESPONDER_URL",
        settings.responder_url,
        settings.responder_name,
        api_key=settings.responder_api_key,
        threads=settings.model_threads or settings.cpus,
    )
    stack.push_async_callback(responder.close)
    return responder


def open_dream_model(
    stack: AsyncExitStack, settings: Settings, model: LanguageModel | None
) -> LanguageModel | None:
    """The model that dreams: one of its own, perhaps larger, or the small one."""
    if not settings.dream_model_url:
        return model
    dreaming = _language_model(
        "LIGHTMEM_DREAM_MODEL_URL",
        settings.dream_model_url,
        settings.dream_model_name,
        api_key=settings.dream_model_api_key,
        threads=settings.model_threads or settings.cpus,
    )
    stack.push_async_callback(dreaming.close)
    return dreaming
