"""Where sessions are kept. A store returns from `save` only when the session would survive the end of the process."""

import json
import os
import sqlite3
import tempfile


class FileStore:
    """One JSON file for each session, replaced as a whole: there is the old one or the new one, never half of one."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "sessions")
        os.makedirs(self.folder, exist_ok=True)

    def load(self):
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if name.endswith(".json"):
                with open(path, encoding="utf-8") as file:
                    yield json.load(file)
            else:
                os.unlink(path)  # begun, and never put in place

    def save(self, session):
        number, path = tempfile.mkstemp(dir=self.folder, suffix=".new")
        try:
            with open(number, "w", encoding="utf-8") as file:
                json.dump(session, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            os.replace(path, os.path.join(self.folder, session["id"] + ".json"))
        except OSError:
            os.unlink(path)
            raise
        self._keep_names()

    def _keep_names(self):
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class OverwritingFileStore(FileStore):
    """Broken on purpose: empties the file before it writes, so that a crash in between loses the session."""

    def load(self):
        for name in os.listdir(self.folder):
            try:
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    yield json.load(file)
            except ValueError:
                print(f"left out: {name} is damaged", flush=True)

    def save(self, session):
        with open(os.path.join(self.folder, session["id"] + ".json"), "w", encoding="utf-8") as file:
            file.flush()
            json.dump(session, file, ensure_ascii=False)


class SQLiteStore:
    """One row for each session; a row is committed, and synchronised, before `save` returns."""

    def __init__(self, folder):
        self.database = sqlite3.connect(
            os.path.join(folder, "sessions.sqlite"), check_same_thread=False, isolation_level=None
        )
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute("CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, body TEXT NOT NULL)")

    def load(self):
        for (body,) in self.database.execute("SELECT body FROM sessions").fetchall():
            yield json.loads(body)

    def save(self, session):
        body = json.dumps(session, ensure_ascii=False)
        try:
            self.database.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?)", (session["id"], body))
        except sqlite3.Error as problem:
            raise OSError(str(problem)) from problem
