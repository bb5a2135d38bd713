-- do/holdfast-SessionObject/2a11077e04d22c0fb4f3695caa940ff7a4bd5de95422c9d17aba3abf60e0c1b4.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","structured","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346797, 'session-opened', '', 85, NULL, '{"v":1,"type":"session-opened","incarnation":"1d4c4fcfaf4946a8","agent":"structured"}');
INSERT INTO "events" VALUES (2, 0, 1795939346797, 'turn-started', '4742b70cc6474ff4', 137, NULL, '{"v":1,"type":"turn-started","turn":"4742b70cc6474ff4","loopId":"4742b70cc6474ff4","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 40168648708, 1795939347319, 'model-replied tool-call-started', '4742b70cc6474ff4', 407, '301 106', '{"v":1,"type":"model-replied","turn":"4742b70cc6474ff4","model":"scripted","text":"","toolCalls":[{"id":"4742b70cc6474ff4.3.0","providerId":"call_0_0","name":"count","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"mvwgta","tools":"1g04k4f"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"4742b70cc6474ff4","call":"4742b70cc6474ff4.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 40168648708, 1795939347547, 'tool-call-ended', '4742b70cc6474ff4', 148, NULL, '{"v":1,"type":"tool-call-ended","turn":"4742b70cc6474ff4","call":"4742b70cc6474ff4.3.0","result":{"type":"text","content":"count is done"},"ms":218}');
INSERT INTO "events" VALUES (7, 40168648708, 1795939347706, 'model-replied answer-rejected', '4742b70cc6474ff4', 314, '220 94', '{"v":1,"type":"model-replied","turn":"4742b70cc6474ff4","model":"scripted","text":"Seven.","toolCalls":[],"finish":"stop","asked":{"instructions":"mvwgta","tools":"1g04k4f"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"answer-rejected","turn":"4742b70cc6474ff4","problems":["It is not JSON text."]}');
INSERT INTO "events" VALUES (9, 40168648708, 1795939347819, 'model-replied turn-ended', '4742b70cc6474ff4', 323, '227 96', '{"v":1,"type":"model-replied","turn":"4742b70cc6474ff4","model":"scripted","text":"{\"total\":7}","toolCalls":[],"finish":"stop","asked":{"instructions":"mvwgta","tools":"1g04k4f"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"4742b70cc6474ff4","outcome":"completed","object":{"total":7}}');
INSERT INTO "lease" VALUES (1, 40168648708, '29d3dc4146f14751', NULL, 'free', 'started', 0, 0, 1795939347819, 9, 1795939346797, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
