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
INSERT INTO "events" VALUES (1, 0, 1795934290719, 'session-opened', '', 88, '{"v":1,"type":"session-opened","incarnation":"721081c3fec94f4a","agent":"limit-reached"}');
INSERT INTO "events" VALUES (2, 0, 1795934290719, 'turn-started', '46b53a6efd984a00', 137, '{"v":1,"type":"turn-started","turn":"46b53a6efd984a00","loopId":"46b53a6efd984a00","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 205523537531, 1795934294851, 'model-replied', '46b53a6efd984a00', 471, '{"v":1,"type":"model-replied","turn":"46b53a6efd984a00","model":"scripted","text":"","toolCalls":[{"id":"46b53a6efd984a00.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"46b53a6efd984a00.3.1","providerId":"call_0_1","name":"look_up","input":"{}"},{"id":"46b53a6efd984a00.3.2","providerId":"call_0_2","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 205523537531, 1795934294851, 'tool-call-started', '46b53a6efd984a00', 106, '{"v":1,"type":"tool-call-started","turn":"46b53a6efd984a00","call":"46b53a6efd984a00.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 205523537531, 1795934294851, 'tool-call-started', '46b53a6efd984a00', 106, '{"v":1,"type":"tool-call-started","turn":"46b53a6efd984a00","call":"46b53a6efd984a00.3.1","effect":"read"}');
INSERT INTO "events" VALUES (6, 205523537531, 1795934294851, 'tool-call-ended', '46b53a6efd984a00', 289, '{"v":1,"type":"tool-call-ended","turn":"46b53a6efd984a00","call":"46b53a6efd984a00.3.2","result":{"type":"error","message":"Tool call limit (2) exceeded for tool ''look_up''. No further calls to this tool are allowed in this turn.","reason":"limit"},"limit":{"kind":"callsPerTool","most":2}}');
INSERT INTO "events" VALUES (7, 205523537531, 1795934296288, 'tool-call-ended', '46b53a6efd984a00', 151, '{"v":1,"type":"tool-call-ended","turn":"46b53a6efd984a00","call":"46b53a6efd984a00.3.0","result":{"type":"text","content":"look_up is done"},"ms":1685}');
INSERT INTO "events" VALUES (8, 205523537531, 1795934296288, 'tool-call-ended', '46b53a6efd984a00', 151, '{"v":1,"type":"tool-call-ended","turn":"46b53a6efd984a00","call":"46b53a6efd984a00.3.1","result":{"type":"text","content":"look_up is done"},"ms":1686}');
INSERT INTO "events" VALUES (9, 205523537531, 1795934297316, 'model-replied', '46b53a6efd984a00', 300, '{"v":1,"type":"model-replied","turn":"46b53a6efd984a00","model":"scripted","text":"","toolCalls":[{"id":"46b53a6efd984a00.9.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 205523537531, 1795934297316, 'tool-call-started', '46b53a6efd984a00', 106, '{"v":1,"type":"tool-call-started","turn":"46b53a6efd984a00","call":"46b53a6efd984a00.9.0","effect":"read"}');
INSERT INTO "events" VALUES (11, 205523537531, 1795934298324, 'tool-call-ended', '46b53a6efd984a00', 147, '{"v":1,"type":"tool-call-ended","turn":"46b53a6efd984a00","call":"46b53a6efd984a00.9.0","result":{"type":"text","content":"note is done"},"ms":963}');
INSERT INTO "events" VALUES (12, 205523537531, 1795934298855, 'model-replied', '46b53a6efd984a00', 245, '{"v":1,"type":"model-replied","turn":"46b53a6efd984a00","model":"scripted","text":"That is all I know.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"lkhlak"},"usage":{"inputTokens":100,"outputTokens":10},"last":true}');
INSERT INTO "events" VALUES (13, 205523537531, 1795934298855, 'turn-ended', '46b53a6efd984a00', 118, '{"v":1,"type":"turn-ended","turn":"46b53a6efd984a00","outcome":"limit-reached","limit":{"kind":"iterations","most":2}}');
INSERT INTO "lease" VALUES (1, 205523537531, '676b364c60ba4e53', NULL, 'free', 'started', 0, 0, 1795934298856, 13, 1795934290720, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
