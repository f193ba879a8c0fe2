"""pull and the names of models: what a person sees when a download is stopped, and that what `list` shows can be taken."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PUNA, ProgramTest, environment

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tasks", "server.py")


class Pull(ProgramTest):
    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen([sys.executable, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.address = f"http://127.0.0.1:{int(self.server.stdout.readline())}"

    def tearDown(self):
        self.server.communicate(timeout=30)  # it ends with its standard input

    def files(self):
        return [name for _, _, names in os.walk(self.home) for name in names]

    def test_the_first_ctrl_c_ends_it_and_the_next_call_goes_on(self):
        url = self.address + "/slow/800000/m.gguf"
        process = subprocess.Popen([PUNA, "pull", url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(self.home))
        part = []
        while not part and process.poll() is None:
            time.sleep(0.01)
            part = [os.path.join(folder, name) for folder, _, names in os.walk(self.home) for name in names
                    if name.endswith(".part") and os.path.getsize(os.path.join(folder, name)) > 40000]
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        out, _ = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (130, b""))
        self.assertLess(time.monotonic() - start, 10)
        self.assertNotIn("m.gguf", self.files(), "half a file has the model's name")

        path = self.answer("pull", url).strip()
        self.assertEqual(os.path.getsize(path), 800000)
        self.assertEqual(self.answer("pull", url, "--offline").strip(), path)

    def test_what_does_not_exist_there_is_said_in_a_line(self):
        err = self.refused(1, "pull", self.address + "/none/1/m.gguf")
        self.assertIn("does not exist (HTTP 404)", err)
        self.assertNotIn("m.gguf", self.files())


class Names(ProgramTest):
    def place(self, *path):
        target = os.path.join(self.home, *path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(self.model, target)
        return target

    def test_every_name_that_list_shows_can_be_taken(self):
        home = {"PUNA_HOME": os.path.join(self.home, "puna")}
        self.place("puna", "models", "mine", "anything.gguf")
        self.place("puna", "hf", "org", "repo", "Tiny-Q4_K_M.gguf")
        self.place("puna", "web", "0123456789ab", "page.gguf")
        self.place(".cache", "huggingface", "hub", "models--a--b", "snapshots", "1", "x.gguf")
        self.place(".cache", "llama.cpp", "other.gguf")
        models = json.loads(self.answer("list", "--json", **home))["models"]
        for model in models:
            self.assertEqual(self.answer("pull", model["name"], "--offline", **home), model["path"] + "\n")
            self.assertIn("general.architecture", self.answer("gguf", "info", model["name"], "--offline", **home))
        names = {model["name"] for model in models}
        self.assertLessEqual({"mine", "hf:org/repo:Tiny-Q4_K_M.gguf", "page", "hf:a/b:x.gguf", "other"}, names)

    def test_a_name_of_ollamas_can_be_taken(self):
        digest = "a" * 64
        path = self.place(".ollama", "models", "blobs", "sha256-" + digest)
        for tag, name in (("registry.ollama.ai/library/small/1b", "small:1b"), ("example.org/me/small/1b", "example.org/me/small:1b")):
            manifest = os.path.join(self.home, ".ollama", "models", "manifests", tag)
            os.makedirs(os.path.dirname(manifest), exist_ok=True)
            with open(manifest, "w") as out:
                json.dump({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:" + digest}]}, out)
            self.assertEqual(self.answer("pull", name), path + "\n")
            os.unlink(manifest)

    def test_a_folder_is_no_model(self):
        self.place("folder", "in-it.gguf")
        err = self.refused(1, "pull", os.path.join(self.home, "folder"))
        self.assertIn("is a directory, wanted a file", err)
        self.assertIn("in-it.gguf", err)


if __name__ == "__main__":
    unittest.main()
