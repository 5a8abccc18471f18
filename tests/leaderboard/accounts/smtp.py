"""A small real mail server on 127.0.0.1: it can refuse, defer, hang up and go away."""

import socketserver
import threading


class MailServer:
    """Takes mail on a port of its own; `faults` are the answers to the next mails' data."""

    def __init__(self):
        self.taken: list[str] = []
        self.faults: list[str] = []
        self.refused: set[str] = set()
        self.server = None
        self.port = 0

    def start(self) -> None:
        self.server = _Server(("127.0.0.1", self.port), _Conversation)
        self.server.mail = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    mail: MailServer


class _Conversation(socketserver.StreamRequestHandler):
    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 ready")
        while line := self.rfile.readline().decode().strip():
            verb = line[:4].upper()
            if verb == "QUIT":
                self.say("221 bye")
                return
            if verb == "RCPT" and any(one in line for one in self.server.mail.refused):
                self.say("550 no such person")
            elif verb == "DATA":
                self.say("354 go on")
                if not self.take():
                    return
            else:
                self.say("250 fine")

    def take(self) -> bool:
        text = ""
        while (line := self.rfile.readline().decode()) != ".\r\n":
            text += line
        mail = self.server.mail
        fault = mail.faults.pop(0) if mail.faults else ""
        if fault == "hang up":
            return False
        if fault:
            self.say(fault)
            return True
        mail.taken.append(text)
        self.say("250 taken")
        return True
