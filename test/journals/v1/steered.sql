-- do/holdfast-SessionObject/b70873bd3f00bc1e8a7c94132f201ff6a020fdf35583569ce5996e9864210523.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (1, '["ada","steered","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290645, 'session-opened', '', 82, '{"v":1,"type":"session-opened","incarnation":"0248a17a7d5f4128","agent":"steered"}');
INSERT INTO "events" VALUES (2, 0, 1795934290645, 'turn-started', '3895b6e45c1540ae', 137, '{"v":1,"type":"turn-started","turn":"3895b6e45c1540ae","loopId":"3895b6e45c1540ae","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 182265539411, 1795934295295, 'model-replied', '3895b6e45c1540ae', 303, '{"v":1,"type":"model-replied","turn":"3895b6e45c1540ae","model":"scripted","text":"","toolCalls":[{"id":"3895b6e45c1540ae.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 182265539411, 1795934295295, 'tool-call-started', '3895b6e45c1540ae', 112, '{"v":1,"type":"tool-call-started","turn":"3895b6e45c1540ae","call":"3895b6e45c1540ae.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 182265539411, 1795934297542, 'tool-call-ended', '3895b6e45c1540ae', 151, '{"v":1,"type":"tool-call-ended","turn":"3895b6e45c1540ae","call":"3895b6e45c1540ae.3.0","result":{"type":"text","content":"look_up is done"},"ms":1940}');
INSERT INTO "events" VALUES (6, 182265539411, 1795934297542, 'turn-steered', '3895b6e45c1540ae', 129, '{"v":1,"type":"turn-steered","turn":"3895b6e45c1540ae","as":"89bd05ae1b6f4c35","message":"To the left.","principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (7, 182265539411, 1795934298417, 'model-replied', '3895b6e45c1540ae', 224, '{"v":1,"type":"model-replied","turn":"3895b6e45c1540ae","model":"scripted","text":"Gone left.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (8, 182265539411, 1795934298417, 'turn-ended', '3895b6e45c1540ae', 75, '{"v":1,"type":"turn-ended","turn":"3895b6e45c1540ae","outcome":"completed"}');
INSERT INTO "events" VALUES (9, 0, 1795934298947, 'turn-started', 'fcf766cd12894727', 140, '{"v":1,"type":"turn-started","turn":"fcf766cd12894727","loopId":"fcf766cd12894727","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (10, 182265539412, 1795934299656, 'model-replied', 'fcf766cd12894727', 304, '{"v":1,"type":"model-replied","turn":"fcf766cd12894727","model":"scripted","text":"","toolCalls":[{"id":"fcf766cd12894727.10.0","providerId":"call_2_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (11, 182265539412, 1795934299656, 'tool-call-started', 'fcf766cd12894727', 113, '{"v":1,"type":"tool-call-started","turn":"fcf766cd12894727","call":"fcf766cd12894727.10.0","effect":"idempotent"}');
INSERT INTO "lease" VALUES (1, 182265539412, '18202ce835434e0b', 'fcf766cd12894727', 'held', 'started', 0, 0, 1795934307489, 11, 1795934299223, 0, '', 0);
INSERT INTO "requests" VALUES ('steered 89bd05ae1b6f4c35', '', '3895b6e45c1540ae', 6, 8640000000000000);
INSERT INTO "inbox" VALUES (2, 'steer', 'c33c3d8854f94b65', '{"v":1,"type":"turn-started","turn":"c33c3d8854f94b65","loopId":"c33c3d8854f94b65","message":"To the right.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('turn', 'fcf766cd12894727', 1795934327489);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934327489000000);
