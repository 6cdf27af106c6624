"""OpenStack Swift with its S3 interface, all servers in one process: bucket-server.py <folder> <port>

The user test:tester with the secret "testing" may do everything; test:reader with "reading" nothing. Prints a line once it
accepts connections.
"""

import eventlet

eventlet.monkey_patch()

import os
import sys

from eventlet import wsgi
from swift.common.ring import RingBuilder

folder, port = sys.argv[1], int(sys.argv[2])
listening = {"proxy": eventlet.listen(("127.0.0.1", port))}

PARTS = {
    "proxy": """pipeline:main
pipeline = catch_errors cache s3api tempauth bulk slo proxy-server
filter:catch_errors
use = egg:swift#catch_errors
filter:cache
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
filter:s3api
use = egg:swift#s3api
location = us-east-1
max_bucket_listing = 5
filter:tempauth
use = egg:swift#tempauth
user_test_tester = testing .admin
user_test_reader = reading
filter:bulk
use = egg:swift#bulk
filter:slo
use = egg:swift#slo
app:proxy-server
use = egg:swift#proxy
account_autocreate = true""",
    **{
        kind: "pipeline:main\npipeline = %s-server\napp:%s-server\nuse = egg:swift#%s" % (kind, kind, kind)
        for kind in ("account", "container", "object")
    },
}


def write(name, lines):
    with open(os.path.join(folder, name), "w") as file:
        file.write(lines)


def sections(text):
    return "\n".join(line if "=" in line else "[%s]" % line for line in text.split("\n"))


os.makedirs(os.path.join(folder, "devices", "d"), exist_ok=True)
write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = one\ndefault = yes\n")

import swift.common.utils as utils

utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")

for kind in ("account", "container", "object"):
    listening[kind] = eventlet.listen(("127.0.0.1", 0))
    builder = RingBuilder(1, 1, 0)
    builder.add_dev(
        {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": listening[kind].getsockname()[1], "device": "d", "weight": 1}
    )
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, kind + ".ring.gz"))

settings = """[DEFAULT]
swift_dir = %s
devices = %s
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
log_level = CRITICAL
""" % (folder, os.path.join(folder, "devices"))

for kind in ("account", "container", "object", "proxy"):
    write(kind + ".conf", settings + sections(PARTS[kind]) + "\n")

from swift.common.wsgi import loadapp

for kind in ("account", "container", "object", "proxy"):
    app = loadapp(os.path.join(folder, kind + ".conf"), global_conf={"log_level": "CRITICAL"})
    eventlet.spawn(wsgi.server, listening[kind], app, log=open(os.devnull, "w"), debug=False, log_output=False)

print("ready", flush=True)
# Ends with the tests, also where they were killed.
parent = os.getppid()
while os.getppid() == parent:
    eventlet.sleep(1)
