"""Tests the results of make release like a user would: python3 packaging/test.py bin/release bin/python

What this machine has no tool for is named and left out. As root, packages are installed in roots of their own.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RELEASE, WHEELS = (Path(folder).resolve() for folder in sys.argv[1:3])
ABOUT = json.loads((RELEASE / "metadata.json").read_text())
VERSION, COMMIT = ABOUT["version"], ABOUT["commit"]
SAMPLE = ROOT / "testdata" / "sample"
WANTED = re.search(r"\$ make demo\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)[1]
INSTALL = (ROOT / "docs/howto/install.md").read_text("utf-8")
CHECKSUMS, SIGNATURE = re.search(r"\n(sha256sum .*)\n(cosign .*)\n", INSTALL).groups()
# With a key in place of the workflow's identity.
SIGN = """cosign generate-key-pair && cosign sign-blob SHA256SUMS --bundle SHA256SUMS.sigstore.json --key cosign.key \
          --yes --tlog-upload=false --use-signing-config=false"""
VERIFY = re.sub("--certificate.*", "--key cosign.pub --insecure-ignore-tlog", SIGNATURE)
MACHINE = platform.machine()
NATIVE = {"x86_64": "amd64", "aarch64": "arm64"}.get(MACHINE)
# What installs a package into a root, and what removes it. Where there is no apk, its package is only unpacked.
MANAGERS = {
    "dpkg": (f"*_{NATIVE}.deb", "--root={root} -i", "--root={root} -P"),
    "rpm": (f"*.{MACHINE}.rpm", "--root={root} --nodeps --ignorearch -i", "--root={root} -e"),
    "pacman": (f"*-{MACHINE}.pkg.tar.zst", "--root={root} --noconfirm -U", "--root={root} --noconfirm -R"),
    "apk": (f"*_{MACHINE}.apk", "--root={root} --no-network --allow-untrusted --initdb add", "--root={root} del"),
    "bsdtar": (f"*_{MACHINE}.apk", "-C {root} -xf", ""),
}
INSTALLED = ("man/man1/robotsieve-audit.1", "bash-completion/completions/robotsieve", "zsh/*/_robotsieve",
             "fish/vendor_completions.d/robotsieve.fish", "doc/robotsieve/THIRD_PARTY.txt", "doc/robotsieve/copyright")
left_out = []


def run(*command, fails=False, **options):
    done = subprocess.run(command[0] if "shell" in options else command, capture_output=True, text=True, **options)
    assert bool(done.returncode) == fails, f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def has(*tools):
    """Reports whether all tools are installed, and records the missing ones."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    left_out.extend(tool for tool in missing if tool not in left_out)
    return not missing


def try_command(*command, sample=SAMPLE):
    """A command prints its version and commit, and audits the sample."""
    said = run(*command, "version")
    assert re.match(rf"robotsieve {re.escape(VERSION)} \(commit {COMMIT} of 2\S+Z\) go1\.\S+ \w+/\w+\n$", said), said
    found = run(*command, "audit", "--policy", f"{sample}/policy.csv", "--host", "https://lantern.example",
                "--crawlers", f"{sample}/crawlers.json", "--ip-ranges", f"{sample}/ranges", f"{sample}/access.log.gz")
    assert found == WANTED, f"{command}: the audit of the sample prints\n{found}"


def downloads(folder):
    """The documented commands verify the files, and reject modified ones. Returns the checksums."""
    sums = dict(reversed(line.split()) for line in (RELEASE / "SHA256SUMS").read_text().splitlines())
    files = [path for path in [*RELEASE.glob("robotsieve*.*"), *WHEELS.iterdir()] if path.is_file()]
    assert {path.name for path in files} == set(sums), f"SHA256SUMS has {sorted(sums)}"
    for path in [*files, RELEASE / "SHA256SUMS"]:
        shutil.copy(path, folder)
    there = {"cwd": folder, "shell": True, "env": {**os.environ, "COSIGN_PASSWORD": ""}}
    if has("cosign"):
        run(SIGN, **there)
        run(VERIFY, **there)
    run(CHECKSUMS, **there)
    run("echo x >>robotsieve-linux-amd64.tar.gz", **there)
    run(CHECKSUMS, fails=True, **there)
    if has("cosign"):
        run("sha256sum robotsieve-* >SHA256SUMS; " + CHECKSUMS, **there)
        run(VERIFY, fails=True, **there)
    return sums


def archive(folder, system, arch):
    name = f"robotsieve-{system}-{arch}"
    shutil.unpack_archive(RELEASE / (name + (".zip" if system == "windows" else ".tar.gz")), folder)
    program = folder / name / ("robotsieve.exe" if system == "windows" else "robotsieve")
    for file in ("LICENSE", "THIRD_PARTY.txt", "man/robotsieve-audit.1", "completions/robotsieve.bash"):
        assert (folder / name / file).stat().st_size > 0, f"{name} has no {file}"
    if system == "linux" and (arch == NATIVE or arch == "arm64" and has("qemu-aarch64-static")):
        try_command(*([] if arch == NATIVE else ["qemu-aarch64-static"]), program)
    else:
        assert f"GOOS={system}" in run("go", "version", "-m", program) and COMMIT.encode() in program.read_bytes(), name
    parts = json.loads((RELEASE / f"{name}.cdx.json").read_text())
    assert parts["bomFormat"] == "CycloneDX" and parts["metadata"]["component"]["version"] == "v" + VERSION and \
        "github.com/spf13/cobra" in {part["name"] for part in parts["components"]}, f"{name}: no SBOM"
    return program


def packages(folder):
    """Each package is installed into a separate root, runs there, and is removed without a trace."""
    for tool, (pattern, install, remove) in MANAGERS.items():
        if not has(*[tool, "debootstrap"][:1 + (tool == "dpkg")]):
            continue
        root = folder / tool
        if tool == "dpkg":
            run("debootstrap", "--variant=minbase", "bookworm", root)
        for made in ("tmp", "var/lib/pacman"):
            (root / made).mkdir(parents=True, exist_ok=True)
        shutil.copytree(SAMPLE, root / "sample")
        run(tool, *install.format(root=root).split(), *RELEASE.glob(pattern))
        for file in INSTALLED:
            assert list((root / "usr/share").glob(file)), f"{pattern} has no {file}"
        try_command("chroot", root, "/usr/bin/robotsieve", sample="/sample")
        if remove:
            run(tool, *remove.format(root=root).split(), "robotsieve")
            assert not list(root.glob("usr/**/*robotsieve*")), f"{pattern} leaves files"


def container(root, program):
    """The steps of the Dockerfile, without Docker: an empty root, and nobody as user."""
    shutil.copytree(SAMPLE, root / "data" / "sample")
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    shutil.copy(program, root)
    try_command("unshare", f"--root={root}", "--wd=/data", "--setuid=65534", "/robotsieve", sample="sample")


def wheel(folder):
    """The wheel in an empty environment, and without it again."""
    run(sys.executable, "-m", "venv", folder)
    pip = [folder / "bin/python", "-m", "pip", "-q"]
    run(*pip, "install", "--no-index", *WHEELS.glob(f"*{MACHINE}.whl"))
    try_command(folder / "bin/robotsieve")
    question = "import robotsieve; print(robotsieve.Robots('User-agent: *\\nDisallow: /a').match('x', 'http://a/a'))"
    assert run(folder / "bin/python", "-c", question) == "Verdict(allowed=False, line=2)\n"
    run(*pip, "uninstall", "-y", "robotsieve")
    assert not list(folder.glob("**/*robotsieve*")), "the wheel leaves files"


def manifests(sums, folder):
    """Files for other package managers have the checksums. Without nix-hash goreleaser makes none for nix."""
    cask, scoop, nix = (RELEASE / name for name in
                        ("homebrew/Casks/robotsieve.rb", "scoop/robotsieve.json", "nix/pkgs/robotsieve/default.nix"))
    windows = "".join(path.read_text() for path in RELEASE.glob("winget/**/*.yaml"))
    for name, want in sums.items():
        if name.endswith(".zip"):
            assert want in windows and want in scoop.read_text(), f"WinGet or Scoop have no {name}"
        if name.endswith(".tar.gz"):
            assert want in cask.read_text(), f"the cask has no {name}"
        if name.endswith(".tar.gz") and has("nix-hash"):
            want = run("nix-hash", "--type", "sha256", "--to-base32", want).strip()
            assert want in nix.read_text(), f"the manifest for nix has no {name}"
    renamed = re.findall('rename "(.*)", "(.*)"', cask.read_text())
    for file in re.findall('(?:manpage|completion|binary) "(.*)"', cask.read_text()):
        assert any(list(folder.glob(source + file[len(to):])) for source, to in renamed if file.startswith(to)), file
    if has("nix-instantiate"):
        run("nix-instantiate", "--parse", nix)
    if has("ruby"):
        run("ruby", "-c", cask)


with tempfile.TemporaryDirectory() as made:
    made = Path(made)
    (made / "downloads").mkdir()
    sums = downloads(made / "downloads")
    programs = [archive(made, system, arch) for system in ("linux", "darwin", "windows") for arch in ("amd64", "arm64")]
    if has("chroot", "unshare") and os.geteuid() == 0:
        packages(made)
        container(made / "container", programs[NATIVE == "arm64"])
    wheel(made / "venv")
    manifests(sums, made)
    print(f"robotsieve {VERSION}: {len(sums)} files tried" + (", without " + ", ".join(left_out) if left_out else ""))
