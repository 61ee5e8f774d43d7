"""What packaging/image/index makes of images for several architectures."""
import hashlib
import io
import json
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "packaging/image/index"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def descriptor(data, files):
    digest = hashlib.sha256(data).hexdigest()
    files[f"./blobs/sha256/{digest}"] = data
    return {"digest": f"sha256:{digest}", "size": len(data)}


def archive(place, architecture, changed=None):
    """An OCI archive with an image of one layer."""
    files = {}
    layer = descriptor(b"layer of " + architecture.encode(), files)
    config = descriptor(json.dumps({"architecture": architecture, "os": "linux"}).encode(), files)
    manifest = descriptor(json.dumps({"config": config, "layers": [layer]}).encode(), files)
    files["./index.json"] = json.dumps({"manifests": [manifest | {"mediaType": MANIFEST}]}).encode()
    if changed:
        files[f"./blobs/sha256/{layer['digest'][7:]}"] = changed
    write(place, files)
    return place


def write(place, files):
    with tarfile.open(place, "w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


class ImageIndex(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_index(self, *images, out="out.tar"):
        done = subprocess.run(
            [SCRIPT, self.folder / out, "takt:1.2.3", *images], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_one_name_leads_to_the_image_of_each_architecture(self):
        images = [archive(self.folder / f"{name}.tar", name) for name in ("arm64", "amd64")]
        self.assertEqual(self.run_index(*images)[0], 0)
        with tarfile.open(self.folder / "out.tar") as tar:
            files = {entry.name: tar.extractfile(entry).read() for entry in tar}
        (top,) = json.loads(files["index.json"])["manifests"]
        self.assertEqual(top["annotations"]["org.opencontainers.image.ref.name"], "1.2.3")
        for name, data in files.items():
            if name.startswith("blobs/"):
                self.assertEqual(hashlib.sha256(data).hexdigest(), name.rpartition("/")[2])
        index = json.loads(files["blobs/" + top["digest"].replace(":", "/")])
        self.assertEqual(
            [image["platform"] for image in index["manifests"]],
            [{"architecture": name, "os": "linux"} for name in ("amd64", "arm64")])
        for image in index["manifests"]:
            manifest = json.loads(files["blobs/" + image["digest"].replace(":", "/")])
            for part in [manifest["config"], *manifest["layers"]]:
                self.assertIn("blobs/" + part["digest"].replace(":", "/"), files)

    def test_the_order_of_the_images_changes_no_bit(self):
        images = [archive(self.folder / f"{name}.tar", name) for name in ("arm64", "amd64")]
        self.run_index(*images, out="a")
        self.run_index(*reversed(images), out="b")
        self.assertEqual((self.folder / "a").read_bytes(), (self.folder / "b").read_bytes())

    def test_a_second_image_of_an_architecture_is_refused(self):
        image = archive(self.folder / "a.tar", "amd64")
        code, said = self.run_index(image, image)
        self.assertEqual(code, 1)
        self.assertIn("two images for amd64", said)

    def test_a_changed_layer_is_refused(self):
        code, said = self.run_index(archive(self.folder / "a.tar", "amd64", changed=b"other"))
        self.assertEqual(code, 1)
        self.assertIn("is another blob", said)


if __name__ == "__main__":
    unittest.main()
