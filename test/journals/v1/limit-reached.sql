-- do/holdfast-SessionObject/8e05397af53173ad55f8d3583f6818d2ae90fff4cc63b363a483234a74675301.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","limit-reached","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932561838, 'session-opened', '', 88, '{"v":1,"type":"session-opened","incarnation":"da07cd4ecceb47fe","agent":"limit-reached"}');
INSERT INTO "events" VALUES (2, 0, 1795932561838, 'turn-started', '99e5364f1b1a4361', 137, '{"v":1,"type":"turn-started","turn":"99e5364f1b1a4361","loopId":"99e5364f1b1a4361","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 371615398563, 1795932563257, 'model-replied', '99e5364f1b1a4361', 471, '{"v":1,"type":"model-replied","turn":"99e5364f1b1a4361","model":"scripted","text":"","toolCalls":[{"id":"99e5364f1b1a4361.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"99e5364f1b1a4361.3.1","providerId":"call_0_1","name":"look_up","input":"{}"},{"id":"99e5364f1b1a4361.3.2","providerId":"call_0_2","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 371615398563, 1795932563257, 'tool-call-started', '99e5364f1b1a4361', 106, '{"v":1,"type":"tool-call-started","turn":"99e5364f1b1a4361","call":"99e5364f1b1a4361.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 371615398563, 1795932563257, 'tool-call-started', '99e5364f1b1a4361', 106, '{"v":1,"type":"tool-call-started","turn":"99e5364f1b1a4361","call":"99e5364f1b1a4361.3.1","effect":"read"}');
INSERT INTO "events" VALUES (6, 371615398563, 1795932563257, 'tool-call-ended', '99e5364f1b1a4361', 289, '{"v":1,"type":"tool-call-ended","turn":"99e5364f1b1a4361","call":"99e5364f1b1a4361.3.2","result":{"type":"error","message":"Tool call limit (2) exceeded for tool ''look_up''. No further calls to this tool are allowed in this turn.","reason":"limit"},"limit":{"kind":"callsPerTool","most":2}}');
INSERT INTO "events" VALUES (7, 371615398563, 1795932563668, 'tool-call-ended', '99e5364f1b1a4361', 150, '{"v":1,"type":"tool-call-ended","turn":"99e5364f1b1a4361","call":"99e5364f1b1a4361.3.0","result":{"type":"text","content":"look_up is done"},"ms":437}');
INSERT INTO "events" VALUES (8, 371615398563, 1795932563668, 'tool-call-ended', '99e5364f1b1a4361', 150, '{"v":1,"type":"tool-call-ended","turn":"99e5364f1b1a4361","call":"99e5364f1b1a4361.3.1","result":{"type":"text","content":"look_up is done"},"ms":437}');
INSERT INTO "events" VALUES (9, 371615398563, 1795932564027, 'model-replied', '99e5364f1b1a4361', 300, '{"v":1,"type":"model-replied","turn":"99e5364f1b1a4361","model":"scripted","text":"","toolCalls":[{"id":"99e5364f1b1a4361.9.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 371615398563, 1795932564027, 'tool-call-started', '99e5364f1b1a4361', 106, '{"v":1,"type":"tool-call-started","turn":"99e5364f1b1a4361","call":"99e5364f1b1a4361.9.0","effect":"read"}');
INSERT INTO "events" VALUES (11, 371615398563, 1795932564432, 'tool-call-ended', '99e5364f1b1a4361', 147, '{"v":1,"type":"tool-call-ended","turn":"99e5364f1b1a4361","call":"99e5364f1b1a4361.9.0","result":{"type":"text","content":"note is done"},"ms":337}');
INSERT INTO "events" VALUES (12, 371615398563, 1795932564703, 'model-replied', '99e5364f1b1a4361', 245, '{"v":1,"type":"model-replied","turn":"99e5364f1b1a4361","model":"scripted","text":"That is all I know.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10},"last":true}');
INSERT INTO "events" VALUES (13, 371615398563, 1795932564703, 'turn-ended', '99e5364f1b1a4361', 118, '{"v":1,"type":"turn-ended","turn":"99e5364f1b1a4361","outcome":"limit-reached","limit":{"kind":"iterations","most":2}}');
INSERT INTO "lease" VALUES (1, 371615398563, 'bdaeeb9c31d94883', NULL, 'free', 'started', 0, 0, 1795932564703, 13, 1795932561838, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
