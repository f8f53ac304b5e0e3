"""Tries what make release made, as its users would: python3 packaging/test.py bin/release bin/python

What this machine has no tool for is named and left out. As root, packages are installed in a bare Debian.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RELEASE, WHEELS = (Path(folder).resolve() for folder in sys.argv[1:3])
ABOUT = json.loads((RELEASE / "metadata.json").read_text())
VERSION = ABOUT["version"]
SAMPLE = ROOT / "testdata" / "sample"
WANTED = re.search(r"\$ make demo\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)[1]
NATIVE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())
FILES = ("man/man1/robotsieve-audit.1", "bash-completion/completions/robotsieve", "doc/robotsieve/THIRD_PARTY.txt",
         "fish/vendor_completions.d/robotsieve.fish", "doc/robotsieve/copyright")
left_out = []


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(holds, message):
    if not holds:
        sys.exit(message)


def has(*tools):
    """Reports whether all tools are there, and notes those that are not."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    left_out.extend(tool for tool in missing if tool not in left_out)
    return not missing


def only(pattern):
    found = list(RELEASE.glob(pattern))
    check(len(found) == 1, f"{pattern}: {len(found)} files")
    return found[0]


def try_command(*command, sample=SAMPLE, **options):
    """A command says its version and commit, and audits the sample."""
    said = run(*command, "version", **options)
    check(re.match(rf"robotsieve {re.escape(VERSION)} (\(commit \w{{40}} of 2\S+\) )?go1\.\S+ \w+/\w+\n$", said), said)
    found = run(*command, "audit", "--policy", f"{sample}/policy.csv", "--host", "https://lantern.example", "--crawlers",
                f"{sample}/crawlers.json", "--ip-ranges", f"{sample}/ranges", f"{sample}/access.log.gz", **options)
    check(found == WANTED, f"{command[-1]}: the audit of the sample prints\n{found}")


def checksums():
    sums = dict(reversed(line.split()) for line in (RELEASE / "SHA256SUMS").read_text().splitlines())
    for name, want in sums.items():
        path = RELEASE / name if (RELEASE / name).exists() else WHEELS / name
        check(hashlib.sha256(path.read_bytes()).hexdigest() == want, f"{name}: not the checksum of SHA256SUMS")
    made = {path.name for end in ("gz", "zip", "deb", "rpm", "apk", "zst", "json") for path in RELEASE.glob("robotsieve*." + end)}
    made |= {path.name for path in WHEELS.iterdir()}
    check(made == set(sums), f"SHA256SUMS differs from what there is in {made ^ set(sums)}")
    return sums


def archives(folder, system, arch):
    name = f"robotsieve-{system}-{arch}"
    shutil.unpack_archive(only(name + (".zip" if system == "windows" else ".tar.gz")), folder)
    top = folder / name
    program = top / ("robotsieve.exe" if system == "windows" else "robotsieve")
    for file in ("LICENSE", "THIRD_PARTY.txt", "man/robotsieve.1", "man/robotsieve-audit.1", "completions/robotsieve.bash",
                 "completions/robotsieve.zsh", "completions/robotsieve.fish"):
        check((top / file).stat().st_size > 0, f"{name} has no {file}")
    if system == "linux" and (arch == NATIVE or arch == "arm64" and has("qemu-aarch64-static")):
        try_command(*([] if arch == NATIVE else ["qemu-aarch64-static"]), program)
    else:
        built = run("go", "version", "-m", program)
        check(f"GOOS={system}" in built and ABOUT["commit"].encode() in program.read_bytes(), built)
    parts = json.loads((RELEASE / f"{name}.cdx.json").read_text())
    check(parts["bomFormat"] == "CycloneDX" and parts["metadata"]["component"]["version"] == "v" + VERSION, name)
    check(any(part["name"] == "github.com/spf13/cobra" for part in parts["components"]), f"{name}: no SBOM")
    return program


def debian(root):
    """The package is installed in a bare Debian, and removed without a trace."""
    run("debootstrap", "--variant=minbase", "bookworm", root)
    inside = ["chroot", root]
    shutil.copytree(SAMPLE, root / "sample")
    shutil.copy(only(f"*_{NATIVE}.deb"), root / "it.deb")
    run(*inside, "dpkg", "-i", "/it.deb")
    try_command(*inside, "/usr/bin/robotsieve", sample="/sample")
    installed = run(*inside, "dpkg", "-L", "robotsieve").split()
    check(all(f"/usr/share/{file}" in installed for file in FILES[:1]), installed)
    run(*inside, "dpkg", "-P", "robotsieve")
    check(not list(root.glob("usr/**/*robotsieve*")), "the Debian package leaves files")
    return inside


def rpm(root):
    database = ["rpm", "--root", root, "--dbpath", "/var/lib/rpm"]
    run(*database, "--nodeps", "--ignorearch", "-i", only(f"*.{platform.machine()}.rpm"))
    try_command(root / "usr/bin/robotsieve")
    run(*database, "-e", "robotsieve")
    check(not list(root.glob("usr/**/*robotsieve*")), "the rpm leaves files")


def unpacked(package, root):
    """What no package manager is here for is unpacked."""
    root.mkdir()
    run("bsdtar", "-xf", package, "-C", root)
    for file in FILES:
        check((root / "usr/share" / file).stat().st_size > 0, f"{package.name} has no {file}")
    check(list(root.glob("usr/share/zsh/*/_robotsieve")), package.name)
    return root / "usr/bin/robotsieve"


def container(root, program):
    """The steps of the Dockerfile, without Docker: an empty root, and nobody as user."""
    (root / "data").mkdir(parents=True)
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    shutil.copy(program, root)
    shutil.copytree(SAMPLE, root / "data" / "sample")
    try_command("unshare", f"--root={root}", "--wd=/data", "--setuid=65534", "/robotsieve", sample="sample")


def wheel(folder):
    """The wheel in an empty environment, and without it again."""
    venv.create(folder, with_pip=True)
    pip = [folder / "bin/python", "-m", "pip", "-q"]
    run(*pip, "install", "--no-index", next(WHEELS.glob(f"*{platform.machine()}.whl")))
    try_command(folder / "bin/robotsieve")
    question = "import robotsieve; print(robotsieve.Robots('User-agent: *\\nDisallow: /a').match('x', 'http://a/a'))"
    check(run(folder / "bin/python", "-c", question) == "Verdict(allowed=False, line=2)\n", "the library does not answer")
    run(*pip, "uninstall", "-y", "robotsieve")
    check(not list(folder.glob("**/*robotsieve*")), "the wheel leaves files")


def manifests(sums):
    casks, scoop = only("homebrew/Casks/robotsieve.rb").read_text(), only("scoop/robotsieve.json").read_text()
    winget = "".join(path.read_text() for path in RELEASE.glob("winget/**/*.yaml"))
    for name, want in sums.items():
        is_zip, is_tar = name.endswith(".zip"), name.endswith(".tar.gz")
        check(not is_tar or want in casks, f"the cask has no {name}")
        check(not is_zip or want in scoop and want in winget, f"Scoop or WinGet have no {name}")
    if has("nix-hash"):  # without which goreleaser makes none
        check(VERSION in only("nix/**/default.nix").read_text(), "the nix manifest has no version")
    if has("ruby"):
        run("ruby", "-c", only("homebrew/Casks/robotsieve.rb"))


def signature(folder):
    """The lines of docs/howto/install.md, with a key in place of the workflow's identity."""
    environment = {**os.environ, "COSIGN_PASSWORD": ""}
    shutil.copy(RELEASE / "SHA256SUMS", folder)
    run("cosign", "generate-key-pair", cwd=folder, env=environment)
    run("cosign", "sign-blob", "--yes", "--key=cosign.key", "--tlog-upload=false", "--bundle=SHA256SUMS.sigstore.json",
        "SHA256SUMS", cwd=folder, env=environment)
    verify = ["cosign", "verify-blob", "--key=cosign.pub", "--insecure-ignore-tlog", "--bundle=SHA256SUMS.sigstore.json",
              "SHA256SUMS"]
    run(*verify, cwd=folder)
    with (folder / "SHA256SUMS").open("a") as sums:
        sums.write("x")
    check(subprocess.run(verify, cwd=folder, capture_output=True).returncode, "cosign verifies what was changed")


def main(folder):
    sums = checksums()
    programs = {(system, arch): archives(folder, system, arch) for system in ("linux", "darwin", "windows")
                for arch in ("amd64", "arm64")}
    if has("debootstrap", "chroot") and os.geteuid() == 0:
        debian(folder / "debian")
    if has("rpm") and os.geteuid() == 0:
        rpm(folder / "rpm")
    if has("bsdtar"):
        for end in ("rpm", "apk", "pkg.tar.zst"):
            for package in RELEASE.glob(f"*.{end}"):
                program = unpacked(package, folder / package.name)
                if platform.machine() in package.name:
                    try_command(program)
    if has("unshare") and os.geteuid() == 0:
        container(folder / "container", programs["linux", NATIVE])
    wheel(folder / "venv")
    manifests(sums)
    if has("cosign"):
        (folder / "signed").mkdir()
        signature(folder / "signed")
    print(f"robotsieve {VERSION}: {len(sums)} files tried" + (", without " + ", ".join(left_out) if left_out else ""))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
