-- do/holdfast-SessionObject/ec0f1dcd12cda4cde6cb76250de2237f9ef37a5d0b2be1bd61fe38ebf6026aca.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
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
INSERT INTO "schema" VALUES (1, '["ada","summary-dropped","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939425, 'session-opened', '', 90, NULL, '{"v":1,"type":"session-opened","incarnation":"cda1bd96b3614198","agent":"summary-dropped"}');
INSERT INTO "events" VALUES (2, 0, 1795936939425, 'turn-started', '31cc51dc75e9427c', 137, NULL, '{"v":1,"type":"turn-started","turn":"31cc51dc75e9427c","loopId":"31cc51dc75e9427c","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 193497908225, 1795936939935, 'model-replied tool-call-started', '31cc51dc75e9427c', 405, '299 106', '{"v":1,"type":"model-replied","turn":"31cc51dc75e9427c","model":"scripted","text":"","toolCalls":[{"id":"31cc51dc75e9427c.3.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"31cc51dc75e9427c","call":"31cc51dc75e9427c.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 193497908225, 1795936940178, 'tool-call-ended', '31cc51dc75e9427c', 146, NULL, '{"v":1,"type":"tool-call-ended","turn":"31cc51dc75e9427c","call":"31cc51dc75e9427c.3.0","result":{"type":"text","content":"pay is done"},"ms":198}');
INSERT INTO "events" VALUES (7, 193497908225, 1795936940329, 'model-replied turn-ended', '31cc51dc75e9427c', 507, '432 75', '{"v":1,"type":"model-replied","turn":"31cc51dc75e9427c","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"31cc51dc75e9427c","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795936940452, 'turn-started', '6630e4fb4da640d7', 143, NULL, '{"v":1,"type":"turn-started","turn":"6630e4fb4da640d7","loopId":"6630e4fb4da640d7","message":"And then?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (10, 193497908226, 1795936940592, 'model-replied turn-ended', '6630e4fb4da640d7', 507, '432 75', '{"v":1,"type":"model-replied","turn":"6630e4fb4da640d7","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"6630e4fb4da640d7","outcome":"completed"}');
INSERT INTO "events" VALUES (11, 0, 1795936940681, 'turn-started', '43b51a846f5a46f9', 137, NULL, '{"v":1,"type":"turn-started","turn":"43b51a846f5a46f9","loopId":"43b51a846f5a46f9","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (12, 193497908227, 1795936940790, 'module-event', '43b51a846f5a46f9', 229, NULL, '{"v":1,"type":"module-event","turn":"43b51a846f5a46f9","module":"compaction","facts":[{"slice":"compaction","fact":{"reason":"no-shorter","from":11,"tokens":117},"at":1795936940761}],"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 193497908227, 1795936940892, 'model-replied turn-ended', '43b51a846f5a46f9', 293, '218 75', '{"v":1,"type":"model-replied","turn":"43b51a846f5a46f9","model":"scripted","text":"Yes.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"43b51a846f5a46f9","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 193497908227, '10d5b95fc0904470', NULL, 'free', 'started', 0, 0, 1795936940892, 14, 1795936940681, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
