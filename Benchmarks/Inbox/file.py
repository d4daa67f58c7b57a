"""A server's file of rooms, as SQLite's own reader sees it."""

import shutil
import sqlite3
import uuid


class File:
    def __init__(self, filled, path):
        self.path = path
        shutil.copy(filled, path)

    def ask(self, question, *values, beside=None):
        database = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            if beside:
                database.execute("ATTACH ? AS beside", (f"file:{beside}?mode=ro",))
            return database.execute(question, values).fetchall()
        finally:
            database.close()

    def rows(self):
        """Returns the number of rows in all tables."""
        tables = self.ask("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return sum(self.ask(f'SELECT count(*) FROM "{table}"')[0][0] for table, in tables)

    def changes(self, table, filled):
        """Returns the number of a table's rows that are not in the other file as they are here."""
        question = f"SELECT count(*) FROM (SELECT * FROM {table} EXCEPT SELECT * FROM beside.{table})"
        return self.ask(question, beside=filled)[0][0]

    def recount(self, room):
        """Returns, for each member: their read mark, the messages above it, and the last one's id and text."""
        number, = self.ask("SELECT id FROM rooms WHERE name = ?", room)[0]
        messages = self.ask("SELECT sort, id, text FROM messages WHERE room = ? ORDER BY sort", number)
        last = str(uuid.UUID(bytes=messages[-1][1])), messages[-1][2]
        above, unread = 0, {}
        members = self.ask("SELECT read, user FROM memberships WHERE room = ? ORDER BY read DESC", number)
        for read, user in members:
            while messages and messages[-1][0] > read:
                messages.pop()
                above += 1
            unread[user] = read, above, *last
        return unread
