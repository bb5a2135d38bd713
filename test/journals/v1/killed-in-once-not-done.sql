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
INSERT INTO "events" VALUES (1, 0, 1795932561685, 'session-opened', '', 98, '{"v":1,"type":"session-opened","incarnation":"b5c6d841fda14d1e","agent":"killed-in-once-not-done"}');
INSERT INTO "events" VALUES (2, 0, 1795932561685, 'turn-started', 'ccdc2b6c6f4443f4', 137, '{"v":1,"type":"turn-started","turn":"ccdc2b6c6f4443f4","loopId":"ccdc2b6c6f4443f4","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 619201155641, 1795932563327, 'model-replied', 'ccdc2b6c6f4443f4', 304, '{"v":1,"type":"model-replied","turn":"ccdc2b6c6f4443f4","model":"scripted","text":"","toolCalls":[{"id":"ccdc2b6c6f4443f4.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 619201155641, 1795932563327, 'tool-call-started', 'ccdc2b6c6f4443f4', 106, '{"v":1,"type":"tool-call-started","turn":"ccdc2b6c6f4443f4","call":"ccdc2b6c6f4443f4.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 619201155641, 1795932563761, 'tool-call-ended', 'ccdc2b6c6f4443f4', 150, '{"v":1,"type":"tool-call-ended","turn":"ccdc2b6c6f4443f4","call":"ccdc2b6c6f4443f4.3.0","result":{"type":"text","content":"look_up is done"},"ms":414}');
INSERT INTO "events" VALUES (6, 619201155641, 1795932564101, 'model-replied', 'ccdc2b6c6f4443f4', 480, '{"v":1,"type":"model-replied","turn":"ccdc2b6c6f4443f4","model":"scripted","text":"","toolCalls":[{"id":"ccdc2b6c6f4443f4.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"ccdc2b6c6f4443f4.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"ccdc2b6c6f4443f4.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 619201155641, 1795932564101, 'tool-call-started', 'ccdc2b6c6f4443f4', 106, '{"v":1,"type":"tool-call-started","turn":"ccdc2b6c6f4443f4","call":"ccdc2b6c6f4443f4.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 619201155641, 1795932564101, 'tool-call-started', 'ccdc2b6c6f4443f4', 106, '{"v":1,"type":"tool-call-started","turn":"ccdc2b6c6f4443f4","call":"ccdc2b6c6f4443f4.6.1","effect":"once"}');
INSERT INTO "events" VALUES (9, 619201155641, 1795932564101, 'tool-call-started', 'ccdc2b6c6f4443f4', 112, '{"v":1,"type":"tool-call-started","turn":"ccdc2b6c6f4443f4","call":"ccdc2b6c6f4443f4.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 619201155641, 1795932564614, 'tool-call-ended', 'ccdc2b6c6f4443f4', 150, '{"v":1,"type":"tool-call-ended","turn":"ccdc2b6c6f4443f4","call":"ccdc2b6c6f4443f4.6.0","result":{"type":"text","content":"look_up is done"},"ms":472}');
INSERT INTO "lease" VALUES (1, 619201155641, '22d82d6a419c41c7', 'ccdc2b6c6f4443f4', 'held', 'started', 0, 0, 1795932571271, 10, 1795932562732, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', 'ccdc2b6c6f4443f4', 1795932582732);
INSERT INTO "_cf_METADATA" VALUES (1, 1795932582732000000);
