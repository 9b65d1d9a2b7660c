"""slurm.py: a Slurm of one node and two processors for the tests, in a folder that is thrown away.

munged, slurmctld and slurmd are started as root with a key, sockets, logs and spool of their own;
nothing outside the folder is read or written, and stop() ends exactly what start() began.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import murmur

NEEDED = ("munged", "mungekey", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "scancel")
CONF = """\
ClusterName=murmur
SlurmctldHost=localhost
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=pmix
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
KillWait=3
MinJobAge=600
InactiveLimit=0
NodeName=localhost NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def path_of(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def why_not():
    """Why no Slurm can be started here; None where one can."""
    if os.geteuid() != 0:
        return "a Slurm of one's own is started by root alone"
    missing = [name for name in NEEDED if path_of(name) is None]
    return f"{', '.join(missing)} not installed (apt: slurm-wlm munge)" if missing else None


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Slurm:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="murmur-slurm-", dir="/tmp"))
        self.processes = []
        self.env = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def _daemon(self, *words):
        with open(self.folder / (pathlib.Path(words[0]).name + ".out"), "w") as log:
            self.processes.append(subprocess.Popen(words, env=self.env, stdin=subprocess.DEVNULL,
                                                   stdout=log, stderr=log, start_new_session=True))

    def start(self):
        """Starts the three daemons; why the node does not come up, or None where it does."""
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        os.chmod(self.folder, 0o755)
        host = socket.gethostname().split(".")[0]
        ports = free_ports(2)
        (self.folder / "slurm.conf").write_text(
            CONF.format(folder=self.folder, host=host, ports=ports))
        subprocess.run([path_of("mungekey"), "--create", f"--keyfile={self.folder}/munge.key"],
                       check=True)
        self._daemon(path_of("munged"), "--foreground", "--force", "--num-threads=2",
                     f"--key-file={self.folder}/munge.key",
                     f"--socket={self.folder}/munge.socket", f"--log-file={self.folder}/munge.log",
                     f"--pid-file={self.folder}/munge.pid", f"--seed-file={self.folder}/munge.seed")
        self._until(lambda: (self.folder / "munge.socket").exists(), murmur.PATIENCE)
        conf = str(self.folder / "slurm.conf")
        self._daemon(path_of("slurmctld"), "-D", "-i", "-f", conf)
        self._daemon(path_of("slurmd"), "-D", "-N", "localhost", "-f", conf)
        idle = lambda: self("sinfo", "-h", "-o", "%T", check=False).stdout.strip() == "idle"
        return None if self._until(idle, 300) else self.logs()

    @staticmethod
    def _until(true, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if true():
                return True
            time.sleep(0.1)
        return False

    def __call__(self, *words, check=True, timeout=murmur.PATIENCE, **options):
        return subprocess.run(words, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=check, timeout=timeout, **options)

    def logs(self):
        text = ""
        for path in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")):
            text += f"--- {path.name}\n" + "\n".join(path.read_text().splitlines()[-15:]) + "\n"
        return text

    def stop(self):
        if len(self.processes) == 3:
            self("scancel", "--full", "--user=root", check=False)
            self._until(lambda: not self("squeue", "-h", check=False).stdout.strip(), 15)
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(timeout=murmur.PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
