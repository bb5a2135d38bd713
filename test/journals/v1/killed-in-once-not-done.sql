-- do/holdfast-SessionObject/e88741d82770b8033c94f43b4ba4a3b7437e97a7edd956ec26f0344565f42596.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (1, '["ada","killed-in-once-not-done","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290387, 'session-opened', '', 98, '{"v":1,"type":"session-opened","incarnation":"ddb9591bbc8f4816","agent":"killed-in-once-not-done"}');
INSERT INTO "events" VALUES (2, 0, 1795934290387, 'turn-started', '6f2b8f1fa692400e', 137, '{"v":1,"type":"turn-started","turn":"6f2b8f1fa692400e","loopId":"6f2b8f1fa692400e","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 1003351333629, 1795934295440, 'model-replied', '6f2b8f1fa692400e', 304, '{"v":1,"type":"model-replied","turn":"6f2b8f1fa692400e","model":"scripted","text":"","toolCalls":[{"id":"6f2b8f1fa692400e.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 1003351333629, 1795934295440, 'tool-call-started', '6f2b8f1fa692400e', 106, '{"v":1,"type":"tool-call-started","turn":"6f2b8f1fa692400e","call":"6f2b8f1fa692400e.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 1003351333629, 1795934296581, 'tool-call-ended', '6f2b8f1fa692400e', 151, '{"v":1,"type":"tool-call-ended","turn":"6f2b8f1fa692400e","call":"6f2b8f1fa692400e.3.0","result":{"type":"text","content":"look_up is done"},"ms":1313}');
INSERT INTO "events" VALUES (6, 1003351333629, 1795934297389, 'model-replied', '6f2b8f1fa692400e', 480, '{"v":1,"type":"model-replied","turn":"6f2b8f1fa692400e","model":"scripted","text":"","toolCalls":[{"id":"6f2b8f1fa692400e.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"6f2b8f1fa692400e.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"6f2b8f1fa692400e.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 1003351333629, 1795934297389, 'tool-call-started', '6f2b8f1fa692400e', 106, '{"v":1,"type":"tool-call-started","turn":"6f2b8f1fa692400e","call":"6f2b8f1fa692400e.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 1003351333629, 1795934297389, 'tool-call-started', '6f2b8f1fa692400e', 106, '{"v":1,"type":"tool-call-started","turn":"6f2b8f1fa692400e","call":"6f2b8f1fa692400e.6.1","effect":"once"}');
INSERT INTO "events" VALUES (9, 1003351333629, 1795934297389, 'tool-call-started', '6f2b8f1fa692400e', 112, '{"v":1,"type":"tool-call-started","turn":"6f2b8f1fa692400e","call":"6f2b8f1fa692400e.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 1003351333629, 1795934298569, 'tool-call-ended', '6f2b8f1fa692400e', 151, '{"v":1,"type":"tool-call-ended","turn":"6f2b8f1fa692400e","call":"6f2b8f1fa692400e.6.0","result":{"type":"text","content":"look_up is done"},"ms":1020}');
INSERT INTO "events" VALUES (11, 1003351333630, 1795934326280, 'turn-resumed', '6f2b8f1fa692400e', 73, '{"v":1,"type":"turn-resumed","turn":"6f2b8f1fa692400e","cause":"expired"}');
INSERT INTO "lease" VALUES (1, 1003351333630, '69234380de344ebf', '6f2b8f1fa692400e', 'held', 'expired', 1, 603, 1795934325828, 10, 1795934325828, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', '6f2b8f1fa692400e', 1795934345828);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934345828000000);
