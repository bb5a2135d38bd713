-- do/holdfast-SessionObject/3e9b1d872e00ca67f7c719009cfe7be0f76396193ed0954b187d9f7f7bd1cefe.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-model","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290702, 'session-opened', '', 90, '{"v":1,"type":"session-opened","incarnation":"46179df38bb34125","agent":"killed-in-model"}');
INSERT INTO "events" VALUES (2, 0, 1795934290702, 'turn-started', 'f9a1690a02724f24', 137, '{"v":1,"type":"turn-started","turn":"f9a1690a02724f24","loopId":"f9a1690a02724f24","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 981750562982, 1795934292150, 'module-event', 'f9a1690a02724f24', 278, '{"v":1,"type":"module-event","turn":"f9a1690a02724f24","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":1398,"outputTokens":4096,"cost":0.042358},"request":{"model":"scripted","system":5,"tools":1285,"messages":1,"text":44}},"at":1795934291948}]}');
INSERT INTO "events" VALUES (4, 981750562982, 1795934295241, 'model-replied', 'f9a1690a02724f24', 318, '{"v":1,"type":"model-replied","turn":"f9a1690a02724f24","model":"scripted","text":"","toolCalls":[{"id":"f9a1690a02724f24.4.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (5, 981750562982, 1795934295241, 'tool-call-started', 'f9a1690a02724f24', 106, '{"v":1,"type":"tool-call-started","turn":"f9a1690a02724f24","call":"f9a1690a02724f24.4.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 981750562982, 1795934296401, 'tool-call-ended', 'f9a1690a02724f24', 151, '{"v":1,"type":"tool-call-ended","turn":"f9a1690a02724f24","call":"f9a1690a02724f24.4.0","result":{"type":"text","content":"look_up is done"},"ms":1548}');
INSERT INTO "events" VALUES (7, 981750562982, 1795934296401, 'module-event', 'f9a1690a02724f24', 278, '{"v":1,"type":"module-event","turn":"f9a1690a02724f24","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":297,"outputTokens":4096,"cost":0.041257},"request":{"model":"scripted","system":5,"tools":1285,"messages":3,"text":241}},"at":1795934296251}]}');
INSERT INTO "events" VALUES (8, 981750562982, 1795934297388, 'model-replied', 'f9a1690a02724f24', 234, '{"v":1,"type":"model-replied","turn":"f9a1690a02724f24","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (9, 981750562982, 1795934297388, 'turn-ended', 'f9a1690a02724f24', 75, '{"v":1,"type":"turn-ended","turn":"f9a1690a02724f24","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795934297805, 'turn-started', 'ee7707eba8c9405b', 140, '{"v":1,"type":"turn-started","turn":"ee7707eba8c9405b","loopId":"ee7707eba8c9405b","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 981750562983, 1795934298516, 'module-event', 'ee7707eba8c9405b', 278, '{"v":1,"type":"module-event","turn":"ee7707eba8c9405b","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":213,"outputTokens":4096,"cost":0.041173},"request":{"model":"scripted","system":5,"tools":1285,"messages":5,"text":354}},"at":1795934298515}]}');
INSERT INTO "events" VALUES (12, 981750562984, 1795934326216, 'turn-resumed', 'ee7707eba8c9405b', 73, '{"v":1,"type":"turn-resumed","turn":"ee7707eba8c9405b","cause":"expired"}');
INSERT INTO "events" VALUES (13, 981750562984, 1795934326216, 'module-event', 'ee7707eba8c9405b', 278, '{"v":1,"type":"module-event","turn":"ee7707eba8c9405b","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":213,"outputTokens":1478,"cost":0.014993},"request":{"model":"scripted","system":5,"tools":1285,"messages":5,"text":354}},"at":1795934326169}]}');
INSERT INTO "lease" VALUES (1, 981750562984, 'a58ec8671bf446b1', 'ee7707eba8c9405b', 'held', 'expired', 1, 699, 1795934325897, 11, 1795934325897, 1, 'module-event', 0);
INSERT INTO "agenda" VALUES ('turn', 'ee7707eba8c9405b', 1795934345897);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934345897000000);
