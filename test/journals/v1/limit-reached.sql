-- do/holdfast-SessionObject/8e05397af53173ad55f8d3583f6818d2ae90fff4cc63b363a483234a74675301.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","limit-reached","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346796, 'session-opened', '', 88, NULL, '{"v":1,"type":"session-opened","incarnation":"4bd27ed222f14834","agent":"limit-reached"}');
INSERT INTO "events" VALUES (2, 0, 1795939346796, 'turn-started', 'e30b7ed84c2c4470', 137, NULL, '{"v":1,"type":"turn-started","turn":"e30b7ed84c2c4470","loopId":"e30b7ed84c2c4470","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (6, 907831356880, 1795939347319, 'model-replied tool-call-started tool-call-started tool-call-ended', 'e30b7ed84c2c4470', 972, '471 106 106 289', '{"v":1,"type":"model-replied","turn":"e30b7ed84c2c4470","model":"scripted","text":"","toolCalls":[{"id":"e30b7ed84c2c4470.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"e30b7ed84c2c4470.3.1","providerId":"call_0_1","name":"look_up","input":"{}"},{"id":"e30b7ed84c2c4470.3.2","providerId":"call_0_2","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"e30b7ed84c2c4470","call":"e30b7ed84c2c4470.3.0","effect":"read"}{"v":1,"type":"tool-call-started","turn":"e30b7ed84c2c4470","call":"e30b7ed84c2c4470.3.1","effect":"read"}{"v":1,"type":"tool-call-ended","turn":"e30b7ed84c2c4470","call":"e30b7ed84c2c4470.3.2","result":{"type":"error","message":"Tool call limit (2) exceeded for tool ''look_up''. No further calls to this tool are allowed in this turn.","reason":"limit"},"limit":{"kind":"callsPerTool","most":2}}');
INSERT INTO "events" VALUES (7, 907831356880, 1795939347524, 'tool-call-ended', 'e30b7ed84c2c4470', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"e30b7ed84c2c4470","call":"e30b7ed84c2c4470.3.0","result":{"type":"text","content":"look_up is done"},"ms":195}');
INSERT INTO "events" VALUES (8, 907831356880, 1795939347550, 'tool-call-ended', 'e30b7ed84c2c4470', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"e30b7ed84c2c4470","call":"e30b7ed84c2c4470.3.1","result":{"type":"text","content":"look_up is done"},"ms":218}');
INSERT INTO "events" VALUES (10, 907831356880, 1795939347706, 'model-replied tool-call-started', 'e30b7ed84c2c4470', 406, '300 106', '{"v":1,"type":"model-replied","turn":"e30b7ed84c2c4470","model":"scripted","text":"","toolCalls":[{"id":"e30b7ed84c2c4470.9.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"e30b7ed84c2c4470","call":"e30b7ed84c2c4470.9.0","effect":"read"}');
INSERT INTO "events" VALUES (11, 907831356880, 1795939347846, 'tool-call-ended', 'e30b7ed84c2c4470', 147, NULL, '{"v":1,"type":"tool-call-ended","turn":"e30b7ed84c2c4470","call":"e30b7ed84c2c4470.9.0","result":{"type":"text","content":"note is done"},"ms":153}');
INSERT INTO "events" VALUES (13, 907831356880, 1795939347938, 'model-replied turn-ended', 'e30b7ed84c2c4470', 363, '245 118', '{"v":1,"type":"model-replied","turn":"e30b7ed84c2c4470","model":"scripted","text":"That is all I know.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10},"last":true}{"v":1,"type":"turn-ended","turn":"e30b7ed84c2c4470","outcome":"limit-reached","limit":{"kind":"iterations","most":2}}');
INSERT INTO "lease" VALUES (1, 907831356880, '4e7ebf0e3d2148ec', NULL, 'free', 'started', 0, 0, 1795939347938, 13, 1795939346796, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
