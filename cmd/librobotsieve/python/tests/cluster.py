"""A Spark cluster of processes on 127.0.0.1: a master, and workers that can be killed."""

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pyspark

HOME = Path(pyspark.__file__).parent
# The heap of a process that only manages others, and of an executor.
DAEMON, HEAP = "256m", "512m"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """One master and two workers of one core each."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_DAEMON_MEMORY": DAEMON,
                            "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what follows is done
        atexit.register(self.stop)
        for is_last in (False, False, True):  # another process may take a port before the master does
            self.processes = []
            self.begin()
            if self.wait_for(2, is_last):
                break
            self.stop()

    def begin(self):
        self.port, self.page = free_port(), free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        port = ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", str(self.page)]
        self.processes.append(self.start("master.Master", *port))
        self.workers = [self.worker(i) for i in range(2)]

    def start(self, name, *args):
        command = [HOME / "bin" / "spark-class", "org.apache.spark.deploy." + name, *args]
        with open(self.folder / f"{name}-{len(args)}.log", "ab") as log:
            return subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=log, stderr=log,
                                    start_new_session=True)

    def worker(self, i):
        process = self.start("worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port",
                             str(free_port()), "--work-dir", self.folder / f"work{i}", self.url)
        self.processes.append(process)
        return process

    def alive(self):
        """Returns the number of workers known to the master."""
        try:
            with urlopen(f"http://127.0.0.1:{self.page}/json/") as answer:
                text = answer.read().decode()
        except OSError:
            return 0
        return text.count('"ALIVE"') - 1  # the master is alive, too

    def wait_for(self, n, must=True):
        """Waits for n workers, and reports whether they have come. If they must, it raises an error instead."""
        end = time.monotonic() + 60
        while self.alive() < n:
            if time.monotonic() > end:
                if must:
                    logs = [path.read_text(errors="replace")[-2000:] for path in self.folder.glob("*.log")]
                    raise RuntimeError(f"no {n} workers:\n" + "\n".join(logs))
                return False
            time.sleep(0.2)
        return True

    def kill_worker(self):
        """Kills a worker and its executor, and starts another worker."""
        victim = self.workers.pop(0)
        kill(victim)
        self.workers.append(self.worker(len(self.processes)))

    def session(self, **conf):
        from pyspark.sql import SparkSession

        os.environ.update({"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"})
        conf = {"spark.driver.memory": HEAP, "spark.executor.memory": HEAP, "spark.executor.cores": "1",
                "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                "spark.driver.host": "127.0.0.1", "spark.log.level": "OFF", **conf}
        builder = SparkSession.builder.master(self.url)
        for name, value in conf.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()

    def stop(self):
        for process in self.processes:
            kill(process)


def kill(process):
    """Kills a process made by start, with its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
