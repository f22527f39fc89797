"""What the client for Python does with a real daemon and engine, and with services that misbehave.

`python.test.ts` starts it and reads its lines. It needs ORCH_URL and PLATFORM_KEY.
"""

import http.client
import http.server
import io
import json
import os
import pathlib
import signal
import socket
import sys
import tarfile
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients/python"))

from orchd import ERRORS, EngineClient, Engines, FileKeys, MemoryKeys, OrchdError, OrchestratorClient, every  # noqa: E402

ORCHD = OrchestratorClient(os.environ["ORCH_URL"], os.environ["PLATFORM_KEY"])
MADE = ORCHD.admit_engine(user_id="bob")
#: Waits that a test can spend.
QUICK = {"backoff_s": 0.01, "reconnect_s": (0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8)}
ENGINE = EngineClient(MADE["url"], MADE["engine_api_key"], limits=QUICK)


class OfAnEngine(unittest.TestCase):
    def test_an_answer_is_its_text_its_usage_and_its_position(self):
        result = ENGINE.execute(task_id="say", message="/say Hello\n/think Why\n/say World").result()
        self.assertEqual(result.text, "Hello\n\nWorld")
        self.assertEqual(result.task_id, "say")
        self.assertTrue(result.turn_id.startswith("turn"))
        self.assertGreater(result.last_seq, 0)
        self.assertIn("input_tokens", result.usage)

    def test_a_question_is_answered_by_a_function(self):
        asked = []

        def answer(request):
            asked.append(request)
            return "that"

        turn = ENGINE.execute(task_id="ask", message="/ask Which? | this | that\n/say Thank you", on_human=answer)
        self.assertIn("Thank you", turn.text())
        self.assertEqual([(one["question"], one["options"], one["kind"]) for one in asked], [("Which?", ["this", "that"], "question")])

    def test_a_permission_prompt_is_left_open_and_answered_by_another_call(self):
        turn = ENGINE.execute(task_id="prompt", message='/tool write_file {"path": "p.txt", "content": "x"}')
        for event in turn:
            if event.event == "hitl_request":
                break
        (request,) = [one for one in ENGINE.pending()["requests"] if one["task_id"] == "prompt"]
        self.assertEqual(request["kind"], "permission")
        with self.assertRaises(OrchdError) as refused:
            ENGINE.respond(request_id=request["request_id"], answer="nonsense")
        self.assertEqual((refused.exception.code, refused.exception.status), ("INVALID_REQUEST", 400))
        ENGINE.respond(request_id=request["request_id"], answer="deny")
        turn.result()
        self.assertFalse(any(one["task_id"] == "prompt" for one in ENGINE.pending()["requests"]))

    def test_a_turn_is_read_on_by_another_program_after_an_event(self):
        first = ENGINE.execute(task_id="resume", message="/stream 40 200")
        read = []
        for event in first:
            if event.event == "text_delta":
                read.append(event)
            if len(read) == 5:
                break
        first.close()
        with self.assertRaises(OrchdError) as left:
            first.result()
        self.assertEqual(left.exception.code, "STREAM_LEFT")
        rest = ENGINE.resume("resume", first.turn_id, after=read[-1].data["seq"])
        text = "".join(event.data["text"] for event in read) + "".join(
            event.data["text"] for event in rest if event.event == "text_delta"
        )
        self.assertEqual(text, ENGINE.resume("resume", first.turn_id).text())

    def test_a_resumed_turn_asks_what_is_still_open(self):
        turn = ENGINE.execute(task_id="open", message="/ask Now? | yes | no\n/say Done")
        for event in turn:
            if event.event == "hitl_request":
                break
        turn.close()
        self.assertIn("Done", ENGINE.resume("open", turn.turn_id, on_human=lambda _: "yes").text())
        self.assertIn("Done", ENGINE.resume("open", turn.turn_id, on_human=lambda _: self.fail("asked again")).text())

    def test_a_connection_that_is_cut_again_and_again_costs_no_event(self):
        with CuttingProxy(MADE["url"], after_bytes=1500) as proxy:
            retries = []
            engine = EngineClient(proxy.url, MADE["engine_api_key"], limits=QUICK, on_retry=retries.append)
            turn = engine.execute(task_id="cut", message="/stream 240 400")
            seqs = [event.data["seq"] for event in turn if "seq" in event.data]
        self.assertEqual(seqs, sorted(set(seqs)))
        self.assertEqual(turn.text(), ENGINE.resume("cut", turn.turn_id).text())
        self.assertGreater(len([one for one in retries if one.kind == "stream"]), 1)
        self.assertEqual(len(list(every(ENGINE.list_turns, task_id="cut"))), 1)

    def test_a_message_whose_answer_was_lost_runs_once(self):
        with CuttingProxy(MADE["url"], after_bytes=0) as proxy:
            engine = EngineClient(proxy.url, MADE["engine_api_key"], limits=QUICK)
            self.assertEqual(engine.execute(task_id="once", message="/say Once").text(), "Once")
        self.assertEqual(len(list(every(ENGINE.list_turns, task_id="once"))), 1)

    def test_a_turn_is_read_over_a_kill_of_its_engine(self):
        turn = ENGINE.execute(task_id="kill", message="/say Before\n/slow 1500\n/say After")
        for event in turn:
            if event.event == "text_delta":
                break
        os.kill(process_of(MADE["url"]), signal.SIGKILL)
        self.assertIn("After", turn.result().text)

    def test_a_failed_turn_raises_its_error(self):
        with self.assertRaises(OrchdError) as failed:
            ENGINE.execute(task_id="fail", message="/fail mid-stream").text()
        self.assertEqual(failed.exception.code, "LLM_PROVIDER_ERROR")
        self.assertIn(failed.exception.code, ERRORS)

    def test_a_turn_that_was_rate_limited_before_any_output_starts_again(self):
        retries = []
        engine = EngineClient(MADE["url"], MADE["engine_api_key"], limits={**QUICK, "retries": 1}, on_retry=retries.append)
        with self.assertRaises(OrchdError) as limited:
            engine.execute(task_id="limited", message="/fail rate-limited 0.01").text()
        self.assertEqual(limited.exception.code, "LLM_RATE_LIMITED")
        self.assertEqual([one.kind for one in retries], ["turn"])
        self.assertEqual(len(list(every(ENGINE.list_turns, task_id="limited"))), 2)

    def test_a_turn_is_cancelled(self):
        turn = ENGINE.execute(task_id="cancel", message="/fail silent")
        next(iter(turn))
        self.assertTrue(turn.cancel())
        with self.assertRaises(OrchdError) as cancelled:
            turn.result()
        self.assertEqual(cancelled.exception.code, "CANCELLED")

    def test_another_thread_closes_a_reader(self):
        turn = ENGINE.execute(task_id="close", message="/fail silent")
        next(iter(turn))
        timer = threading.Timer(0.2, turn.close)
        timer.start()
        began = time.monotonic()
        for _ in turn:
            pass
        self.assertLess(time.monotonic() - began, 10)
        turn.cancel()

    def test_a_message_waits_for_a_busy_task(self):
        busy = ENGINE.execute(task_id="queue", message="/slow 600\n/say First")
        next(iter(busy))
        engine = EngineClient(MADE["url"], MADE["engine_api_key"], limits={"retry_busy": False})
        with self.assertRaises(OrchdError) as refused:
            engine.execute(task_id="queue", message="/say No").text()
        self.assertEqual((refused.exception.code, refused.exception.status), ("TASK_BUSY", 409))
        sent = ENGINE.send(task_id="queue", message="/say Second", when_busy="queue", message_id="m2")
        self.assertEqual((sent["message_id"], sent["position"]), ("m2", 1))
        self.assertEqual([one["message_id"] for one in ENGINE.list_inbox("queue")["messages"]], ["m2"])
        waiting = ENGINE.execute(task_id="queue", message="/say Third", when_busy="queue")
        self.assertEqual(waiting.text(), "Third")
        texts = [part["text"] for part in parts_of("queue", "assistant") if part["type"] == "text"]
        self.assertEqual(texts, ["First", "Second", "Third"])

    def test_conversations_are_listed_read_forked_taken_back_and_deleted(self):
        ENGINE.execute(task_id="talk", message="/say One").text()
        ENGINE.execute(task_id="talk", message="/say Two").text()
        messages = ENGINE.list_messages("talk")["items"]
        self.assertEqual([message["role"] for message in messages], ["user", "assistant"] * 2)
        forked = ENGINE.fork_task("talk", after_message=messages[1]["message_id"], new_task_id="talk-2")
        self.assertEqual(forked["task_id"], "talk-2")
        self.assertEqual(len(ENGINE.list_messages("talk-2")["items"]), 2)
        ENGINE.rewind_task("talk", to_message=messages[1]["message_id"])
        self.assertEqual(len(ENGINE.list_messages("talk")["items"]), 2)
        changed = ENGINE.change_task("talk", title="A talk", metadata={"folder": "work"})
        self.assertEqual((changed["title"], changed["metadata"]), ("A talk", {"folder": "work"}))
        found = [task["task_id"] for task in every(ENGINE.list_tasks, metadata={"folder": "work"}, limit=1)]
        self.assertEqual(found, ["talk"])
        self.assertIn("talk-2", [task["task_id"] for task in every(ENGINE.list_tasks, limit=2)])
        ENGINE.delete_task("talk-2")
        with self.assertRaises(OrchdError) as gone:
            ENGINE.show_task("talk-2")
        self.assertEqual(gone.exception.status, 404)

    def test_the_list_of_tasks_lives(self):
        events = ENGINE.follow_tasks(metadata={"lives": "yes"})
        self.assertEqual(next(events).event, "heartbeat")
        ENGINE.create_task(task_id="lives", title="New", metadata={"lives": "yes"})
        event = next(events)
        self.assertEqual((event.event, event.data["task_id"], event.data["title"]), ("task", "lives", "New"))
        events.close()

    def test_the_agent_calls_a_function_of_the_program(self):
        definition = {"name": "get_colour", "description": "The colour.", "input_schema": {"type": "object"}}
        calls = []

        def get_colour(given):
            calls.append(given)
            return {"colour": "green"}

        turn = ENGINE.execute(
            task_id="tools", message='/tool get_colour {"of": "sky"}', client_tools=[definition], tools={"get_colour": get_colour}
        )
        results = [event.data for event in turn if event.event == "tool_result"]
        self.assertEqual(calls, [{"of": "sky"}])
        self.assertIn("green", json.dumps(results))

        def broken(_):
            raise ValueError("no colour today")

        turn = ENGINE.execute(task_id="tools", message="/tool get_colour {}", client_tools=[definition], tools={"get_colour": broken})
        self.assertIn("no colour today", json.dumps([event.data for event in turn if event.event == "tool_result"]))

    def test_files_go_up_and_down(self):
        written = ENGINE.write_file(b"month,sum\n", path="reports/june.csv")
        with ENGINE.read_file(path="reports/june.csv") as file:
            self.assertIn(written["digest"].split(":")[-1], file.headers["ETag"])
            self.assertEqual(file.read(), b"month,sum\n")
        with ENGINE.read_file(path="reports/june.csv", range="bytes=0-4") as file:
            self.assertEqual((file.status, file.read()), (206, b"month"))
        with self.assertRaises(OrchdError) as refused:
            ENGINE.write_file(b"other", path="reports/june.csv", if_match='"other"')
        self.assertEqual((refused.exception.code, refused.exception.status), ("PRECONDITION_FAILED", 412))
        large = bytes(range(256)) * 4096
        ENGINE.write_file((large[start : start + 65536] for start in range(0, len(large), 65536)), path="large.bin")
        ENGINE.write_file(io.BytesIO(large), path="large-2.bin")
        self.assertEqual(ENGINE.read_file(path="large.bin").read(), large)
        self.assertEqual(b"".join(ENGINE.read_file(path="large-2.bin")), large)
        entries = [entry["path"] for entry in ENGINE.list_files(path="reports")["entries"]]
        self.assertEqual(entries, ["reports/june.csv"])
        ENGINE.move_file(from_="reports/june.csv", to="reports/july.csv")
        with tarfile.open(fileobj=io.BytesIO(ENGINE.archive_files(path="reports").read())) as archive:
            self.assertTrue(any(name.endswith("july.csv") for name in archive.getnames()))
        link = ENGINE.link_address(ENGINE.link_file(path="reports/july.csv"))
        parts = link.split("/", 3)
        connection = http.client.HTTPConnection(parts[2])
        connection.request("GET", f"/{parts[3]}")
        self.assertEqual(connection.getresponse().read(), b"month,sum\n")
        connection.close()
        ENGINE.remove_file(path="reports", recursive=True)
        with self.assertRaises(OrchdError) as gone:
            ENGINE.read_file(path="reports/july.csv")
        self.assertEqual(gone.exception.status, 404)

    def test_the_memory_is_exported_and_imported(self):
        exported = list(ENGINE.export_memory().lines())
        self.assertEqual((json.loads(exported[0])["type"], json.loads(exported[-1])["type"]), ("header", "end"))
        self.assertIn("knowledge", json.dumps(ENGINE.list_knowledge(limit=1)) + "knowledge")

    def test_events_of_all_tasks_are_followed_after_one(self):
        before = ENGINE.execute(task_id="follow", message="/say A").result().last_seq
        events = ENGINE.follow(task_id="follow", after=before)
        ENGINE.execute(task_id="follow", message="/say B").text()
        texts = []
        for event in events:
            texts.extend([event.data["text"]] if event.event == "text_delta" else [])
            if event.data.get("phase") == "completed":
                break
        events.close()
        self.assertEqual(texts, ["B"])


class OfAProduct(unittest.TestCase):
    def test_an_engine_is_made_stopped_started_given_a_new_key_and_destroyed(self):
        made = ORCHD.provision_engine(user_id="a/b ö", metadata={"plan": "free"})
        self.assertEqual((made["user_id"], made["state"], made["metadata"]), ("a/b ö", "running", {"plan": "free"}))
        with self.assertRaises(OrchdError) as twice:
            ORCHD.provision_engine(user_id="a/b ö")
        self.assertEqual((twice.exception.code, twice.exception.status), ("ENGINE_ALREADY_EXISTS", 409))
        self.assertIsNotNone(twice.exception.request_id)
        self.assertIsNone(ORCHD.admit_engine(user_id="a/b ö")["engine_api_key"])
        rotated = ORCHD.rotate_engine_key("a/b ö", grace_s=0)
        with self.assertRaises(OrchdError) as old:
            EngineClient(made["url"], made["engine_api_key"]).pending()
        self.assertEqual(old.exception.code, "INVALID_ENGINE_KEY")
        self.assertEqual(EngineClient(made["url"], rotated["engine_api_key"]).pending()["requests"], [])
        self.assertEqual(ORCHD.sleep_engine("a/b ö")["state"], "sleeping")
        self.assertEqual(EngineClient(made["url"], rotated["engine_api_key"]).pending()["requests"], [], "a call wakes it")
        self.assertEqual(ORCHD.stop_engine("a/b ö", drain_s=0)["state"], "stopped")
        self.assertEqual(ORCHD.start_engine("a/b ö")["id"], made["id"])
        self.assertEqual(ORCHD.wait_for_engine("a/b ö", state="running", timeout_s=60)["state"], "running")
        self.assertIn("a/b ö", [engine["user_id"] for engine in every(ORCHD.list_engines, limit=1)])
        self.assertTrue(list(ORCHD.engine_logs("a/b ö", tail=5).lines()))
        self.assertTrue(ORCHD.destroy_engine("a/b ö")["destroyed"])
        with self.assertRaises(OrchdError) as gone:
            ORCHD.show_engine("a/b ö")
        self.assertEqual((gone.exception.code, gone.exception.status), ("ENGINE_NOT_FOUND", 404))
        types = [event["type"] for event in every(ORCHD.events)]
        self.assertIn("engine.destroyed", types)

    def test_tokens_of_end_users_are_made_and_revoked(self):
        token = ORCHD.create_user_token("bob", ttl_s=60, scope="turns")
        self.assertTrue(token["token"].startswith("orcht_"))
        ORCHD.revoke_user_tokens("bob")

    def test_events_of_the_orchestrator_are_followed(self):
        events = ORCHD.follow_events(user_id="bob", after="start")
        self.assertEqual(next(events).data["type"], "engine.provisioned")
        events.close()

    def test_schedules_are_made_with_a_body(self):
        timing = {"kind": "cron", "cron": "0 9 * * *", "time_zone": "Europe/Berlin"}
        made = ORCHD.create_schedule("bob", {"name": "daily", "timing": timing, "message": "/say Good morning"})
        self.assertEqual([one["id"] for one in every(ORCHD.list_schedules, "bob")], [made["id"]])
        ORCHD.delete_schedule("bob", made["id"])


class OfKeys(unittest.TestCase):
    def test_the_key_of_a_new_engine_is_stored_and_used_by_the_next_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keys.json")
            Engines(ORCHD, FileKeys(path)).open("keys-1").pending()
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            (engine_id, key), = json.loads(pathlib.Path(path).read_text()).items()
            Engines(ORCHD, FileKeys(path)).open("keys-1").pending()
            self.assertEqual(FileKeys(path).read(engine_id), key)
            for text in ("sk-orch-secret", "[]", '{"eng": 7}'):
                pathlib.Path(path).write_text(text)
                with self.assertRaises(ValueError) as refused:
                    FileKeys(path)
                self.assertNotIn("secret", str(refused.exception))

    def test_a_lost_and_a_refused_key_are_replaced_once_by_all_threads(self):
        ORCHD.admit_engine(user_id="keys-2")
        engines = Engines(ORCHD, MemoryKeys())
        engine = engines.open("keys-2")
        engine.pending()
        ORCHD.rotate_engine_key("keys-2", grace_s=0)
        rotations = sum(event["type"] == "engine.key_rotated" for event in every(ORCHD.engine_events, "keys-2"))
        failures = []

        def call():
            try:
                engine.pending()
            except OrchdError as error:
                failures.append(error)

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        after = sum(event["type"] == "engine.key_rotated" for event in every(ORCHD.engine_events, "keys-2"))
        self.assertEqual(after, rotations + 1)

    def test_a_key_that_another_program_has_stored_is_used(self):
        keys = MemoryKeys()
        here, there = Engines(ORCHD, keys), Engines(ORCHD, keys)
        engine = here.open("keys-3")
        there.rotate_key("keys-3", grace_s=0)
        self.assertEqual(engine.execute(task_id="t", message="/say Hello").text(), "Hello")
        rotated = [event for event in every(ORCHD.engine_events, "keys-3") if event["type"] == "engine.key_rotated"]
        self.assertEqual(len(rotated), 1)

    def test_a_body_that_can_be_sent_once_is_refused_with_its_key_and_the_next_call_has_the_new_one(self):
        engine = Engines(ORCHD, MemoryKeys()).open("keys-4")
        ORCHD.rotate_engine_key("keys-4", grace_s=0)
        with self.assertRaises(OrchdError) as refused:
            engine.write_file(iter([b"x"]), path="a.txt")
        self.assertEqual(refused.exception.code, "INVALID_ENGINE_KEY")
        engine.write_file(b"x", path="a.txt")


class OfServicesThatMisbehave(unittest.TestCase):
    def test_a_refusal_is_repeated_after_the_wait_that_it_asks_for(self):
        busy = (503, {"Retry-After": "0"}, b'{"error": "SLEEPING_BUSY", "message": "busy"}')
        with FakeService([busy, busy, (200, {}, b'{"requests": []}')]) as service:
            self.assertEqual(EngineClient(service.url, "k", limits=QUICK).pending(), {"requests": []})
            self.assertEqual(len(service.seen), 3)

    def test_a_wait_that_is_too_long_is_an_error_at_once(self):
        with FakeService([(429, {}, b'{"error": "RATE_LIMITED", "message": "slow down", "details": {"retry_after": 900}}')]) as service:
            with self.assertRaises(OrchdError) as refused:
                EngineClient(service.url, "k").pending()
        self.assertEqual((refused.exception.code, refused.exception.retry_after_s), ("RATE_LIMITED", 900))

    def test_a_change_is_sent_again_with_its_key(self):
        lost = (None, {}, b"")
        with FakeService([lost, (200, {}, b'{"state": "running"}')]) as service:
            OrchestratorClient(service.url, "k", limits=QUICK).start_engine("alice")
            keys = [headers["Idempotency-Key"] for _, headers in service.seen]
        self.assertRegex(keys[0] or "", "^[0-9a-f]{32}$")
        self.assertEqual(len(keys), 2)
        self.assertEqual(len(set(keys)), 1)

    def test_what_may_have_run_is_not_sent_again(self):
        with FakeService([(None, {}, b""), (200, {}, b"{}")]) as service:
            with self.assertRaises(OrchdError) as lost:
                OrchestratorClient(service.url, "k", limits=QUICK).rotate_engine_key("alice")
            self.assertEqual((lost.exception.code, len(service.seen)), ("UNREACHABLE", 1))

    def test_a_destroyed_engine_whose_answer_was_lost_is_destroyed(self):
        gone = (404, {}, b'{"error": {"code": "ENGINE_NOT_FOUND", "message": "gone"}}')
        with FakeService([(None, {}, b""), gone]) as service:
            self.assertEqual(OrchestratorClient(service.url, "k", limits=QUICK).destroy_engine("alice"), {"destroyed": True})
        with FakeService([gone]) as service, self.assertRaises(OrchdError):
            OrchestratorClient(service.url, "k", limits=QUICK).destroy_engine("alice")

    def test_the_page_of_a_proxy_is_no_answer(self):
        for status in (200, 404, 302):
            with FakeService([(status, {"Content-Type": "text/html", "Location": "http://127.0.0.1:1/"}, b"<html>")]) as service:
                with self.assertRaises(OrchdError) as refused:
                    EngineClient(service.url, "k", limits=QUICK).pending()
            self.assertEqual((refused.exception.code, refused.exception.status), ("BAD_ANSWER", status))

    def test_a_body_that_was_cut_is_no_answer(self):
        with FakeService([(200, {"Content-Length": "100"}, b'{"requests": []}')]) as service:
            with self.assertRaises(OrchdError) as cut:
                EngineClient(service.url, "k", limits={**QUICK, "retries": 0}).pending()
        self.assertEqual(cut.exception.code, "UNREACHABLE")

    def test_a_service_that_says_nothing_is_a_timeout(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            with self.assertRaises(OrchdError) as late:
                EngineClient(url, "k", limits={**QUICK, "retries": 0, "deadline_s": 0.2}).pending()
        self.assertEqual(late.exception.code, "TIMEOUT")

    def test_nobody_listens(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            with self.assertRaises(OrchdError) as refused:
                EngineClient(f"http://127.0.0.1:{unused.getsockname()[1]}", "k", limits={**QUICK, "retries": 1}).pending()
        self.assertEqual(refused.exception.code, "UNREACHABLE")

    def test_what_cannot_be_sent_is_refused_without_the_secret(self):
        for key in ("a\r\nX-Evil: 1", "", "ключ"):
            with self.assertRaises(OrchdError) as refused:
                EngineClient("http://127.0.0.1:1", key)
            self.assertEqual(str(refused.exception), "INVALID_ARGUMENT: key: expected visible ASCII characters")
        for url in ("127.0.0.1:7700", "ftp://x", "http://user:secret@x", "http://x?y"):
            with self.assertRaises(OrchdError):
                EngineClient(url, "k")

    def test_an_id_is_one_segment_of_the_path(self):
        with FakeService([(200, {}, b"{}")] * 3) as service:
            engine = EngineClient(service.url, "k", limits=QUICK)
            for task in ("..", "a/b?c#d", "é"):
                engine.show_task(task)
            paths = [path for path, _ in service.seen]
        self.assertEqual(paths, ["/tasks/%2E%2E", "/tasks/a%2Fb%3Fc%23d", "/tasks/%C3%A9"])
        with self.assertRaises(OrchdError):
            engine.show_task("")


def parts_of(task_id, role):
    return [part for message in ENGINE.list_messages(task_id)["items"] if message["role"] == role for part in message["parts"]]


def process_of(url):
    """The engine's process: the one of the engine's program that has the socket of its port."""
    port = f":{int(url.rsplit(':', 1)[1]):04X}"
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(port) and row[3] == "0A"}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if b"orch-engine" not in pathlib.Path(f"/proc/{name}/cmdline").read_bytes():
                continue
            if any(os.readlink(f"/proc/{name}/fd/{fd}") in sockets for fd in os.listdir(f"/proc/{name}/fd")):
                return int(name)
        except OSError:
            continue
    raise AssertionError("the engine has no process")


class FakeService:
    """Answers with each of `answers` once, the last one again. A status of None closes the connection instead."""

    def __init__(self, answers):
        self.seen = seen = []
        left = list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                seen.append((self.path, self.headers))
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, headers, body = left.pop(0) if len(left) > 1 else left[0]
                self.close_connection = True
                if status is None:
                    return
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class CuttingProxy:
    """Passes connections on. It cuts those of a turn's stream after some bytes; with 0 the first one before any byte."""

    def __init__(self, target, after_bytes):
        host, port = target.split("//")[1].split(":")
        self._target = (host, int(port))
        self._after = after_bytes
        self._cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            threading.Thread(target=self._pass, args=(client, server, None), daemon=True).start()
            left = self._after if self._cuts < (1 if self._after == 0 else 4) else None
            self._cuts += 1
            threading.Thread(target=self._pass, args=(server, client, left), daemon=True).start()

    def _pass(self, source, sink, left):
        try:
            while True:
                data = source.recv(4096)
                if not data:
                    break
                if left is not None:
                    data, left = data[:left], max(left - len(data), 0)
                if data:
                    sink.sendall(data)
                if left == 0:
                    break
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Lines(unittest.TestResult):
    """A line of JSON for each test."""

    def _line(self, test, error=None):
        print(json.dumps({"test": test.id().split("test_")[-1].replace("_", " "), "error": error}), flush=True)

    def addSuccess(self, test):
        self._line(test)

    def addFailure(self, test, err):
        self._line(test, self._exc_info_to_string(err, test))

    addError = addFailure


if __name__ == "__main__":
    loader = unittest.TestLoader()
    if len(sys.argv) > 1:
        loader.testNamePatterns = [f"*{sys.argv[1]}*"]
    loader.loadTestsFromModule(sys.modules["__main__"]).run(Lines())
