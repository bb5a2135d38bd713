-- do/holdfast-SessionObject/ec0f1dcd12cda4cde6cb76250de2237f9ef37a5d0b2be1bd61fe38ebf6026aca.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","summary-dropped","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346799, 'session-opened', '', 90, NULL, '{"v":1,"type":"session-opened","incarnation":"efa391995e9b4c83","agent":"summary-dropped"}');
INSERT INTO "events" VALUES (2, 0, 1795939346799, 'turn-started', '2de1d4c2ca6d44a4', 137, NULL, '{"v":1,"type":"turn-started","turn":"2de1d4c2ca6d44a4","loopId":"2de1d4c2ca6d44a4","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 49531271352, 1795939347256, 'model-replied tool-call-started', '2de1d4c2ca6d44a4', 405, '299 106', '{"v":1,"type":"model-replied","turn":"2de1d4c2ca6d44a4","model":"scripted","text":"","toolCalls":[{"id":"2de1d4c2ca6d44a4.3.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"2de1d4c2ca6d44a4","call":"2de1d4c2ca6d44a4.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 49531271352, 1795939347548, 'tool-call-ended', '2de1d4c2ca6d44a4', 146, NULL, '{"v":1,"type":"tool-call-ended","turn":"2de1d4c2ca6d44a4","call":"2de1d4c2ca6d44a4.3.0","result":{"type":"text","content":"pay is done"},"ms":222}');
INSERT INTO "events" VALUES (7, 49531271352, 1795939347676, 'model-replied turn-ended', '2de1d4c2ca6d44a4', 507, '432 75', '{"v":1,"type":"model-replied","turn":"2de1d4c2ca6d44a4","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"2de1d4c2ca6d44a4","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795939347784, 'turn-started', '109853e3ce024eab', 143, NULL, '{"v":1,"type":"turn-started","turn":"109853e3ce024eab","loopId":"109853e3ce024eab","message":"And then?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (10, 49531271353, 1795939347919, 'model-replied turn-ended', '109853e3ce024eab', 507, '432 75', '{"v":1,"type":"model-replied","turn":"109853e3ce024eab","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"109853e3ce024eab","outcome":"completed"}');
INSERT INTO "events" VALUES (11, 0, 1795939347989, 'turn-started', 'd08deba56dc14ac7', 137, NULL, '{"v":1,"type":"turn-started","turn":"d08deba56dc14ac7","loopId":"d08deba56dc14ac7","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (12, 49531271354, 1795939348070, 'module-event', 'd08deba56dc14ac7', 229, NULL, '{"v":1,"type":"module-event","turn":"d08deba56dc14ac7","module":"compaction","facts":[{"slice":"compaction","fact":{"reason":"no-shorter","from":11,"tokens":117},"at":1795939348057}],"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 49531271354, 1795939348132, 'model-replied turn-ended', 'd08deba56dc14ac7', 293, '218 75', '{"v":1,"type":"model-replied","turn":"d08deba56dc14ac7","model":"scripted","text":"Yes.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"d08deba56dc14ac7","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 49531271354, '9183e4f6b2e94b90', NULL, 'free', 'started', 0, 0, 1795939348132, 14, 1795939347989, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
