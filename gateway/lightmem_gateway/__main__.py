"""`python -m lightmem_gateway`: serves the API until it is told to stop."""

from lightmem.settings import Settings
from lightmem_gateway.serving import serve

if __name__ == "__main__":
    serve(Settings())
