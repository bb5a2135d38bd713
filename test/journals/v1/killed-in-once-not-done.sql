-- do/holdfast-SessionObject/e88741d82770b8033c94f43b4ba4a3b7437e97a7edd956ec26f0344565f42596.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
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
INSERT INTO "events" VALUES (1, 0, 1795939346759, 'session-opened', '', 98, NULL, '{"v":1,"type":"session-opened","incarnation":"8007360d4d8c4c4b","agent":"killed-in-once-not-done"}');
INSERT INTO "events" VALUES (2, 0, 1795939346759, 'turn-started', '97fa9dafa44646e6', 137, NULL, '{"v":1,"type":"turn-started","turn":"97fa9dafa44646e6","loopId":"97fa9dafa44646e6","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 850415362142, 1795939347359, 'model-replied tool-call-started', '97fa9dafa44646e6', 410, '304 106', '{"v":1,"type":"model-replied","turn":"97fa9dafa44646e6","model":"scripted","text":"","toolCalls":[{"id":"97fa9dafa44646e6.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"97fa9dafa44646e6","call":"97fa9dafa44646e6.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 850415362142, 1795939347549, 'tool-call-ended', '97fa9dafa44646e6', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"97fa9dafa44646e6","call":"97fa9dafa44646e6.3.0","result":{"type":"text","content":"look_up is done"},"ms":204}');
INSERT INTO "events" VALUES (9, 850415362142, 1795939347678, 'model-replied tool-call-started tool-call-started tool-call-started', '97fa9dafa44646e6', 804, '480 106 106 112', '{"v":1,"type":"model-replied","turn":"97fa9dafa44646e6","model":"scripted","text":"","toolCalls":[{"id":"97fa9dafa44646e6.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"97fa9dafa44646e6.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"97fa9dafa44646e6.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"97fa9dafa44646e6","call":"97fa9dafa44646e6.6.0","effect":"read"}{"v":1,"type":"tool-call-started","turn":"97fa9dafa44646e6","call":"97fa9dafa44646e6.6.1","effect":"once"}{"v":1,"type":"tool-call-started","turn":"97fa9dafa44646e6","call":"97fa9dafa44646e6.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 850415362142, 1795939347847, 'tool-call-ended', '97fa9dafa44646e6', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"97fa9dafa44646e6","call":"97fa9dafa44646e6.6.0","result":{"type":"text","content":"look_up is done"},"ms":145}');
INSERT INTO "lease" VALUES (1, 850415362142, '8e87ad21f2354297', '97fa9dafa44646e6', 'held', 'started', 0, 0, 1795939361182, 10, 1795939347036, 0, '', 0, 1795939367036, 0);
INSERT INTO "_cf_METADATA" VALUES (1, 1795939367036000000);
