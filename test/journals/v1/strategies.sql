-- do/holdfast-SessionObject/736c2e4c4c71df7b2d2a39442aa970a5c19a1fe6fc1ace9dc044690d613cb284.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","strategies","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932561750, 'session-opened', '', 85, '{"v":1,"type":"session-opened","incarnation":"05bd3a810bd74c9d","agent":"strategies"}');
INSERT INTO "events" VALUES (2, 0, 1795932561750, 'turn-started', '5e44d4691e414544', 137, '{"v":1,"type":"turn-started","turn":"5e44d4691e414544","loopId":"5e44d4691e414544","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 304577115799, 1795932563047, 'model-replied', '5e44d4691e414544', 303, '{"v":1,"type":"model-replied","turn":"5e44d4691e414544","model":"scripted","text":"","toolCalls":[{"id":"5e44d4691e414544.3.0","providerId":"call_0_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 304577115799, 1795932563047, 'tool-call-started', '5e44d4691e414544', 112, '{"v":1,"type":"tool-call-started","turn":"5e44d4691e414544","call":"5e44d4691e414544.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 304577115799, 1795932563668, 'tool-call-ended', '5e44d4691e414544', 149, '{"v":1,"type":"tool-call-ended","turn":"5e44d4691e414544","call":"5e44d4691e414544.3.0","result":{"type":"text","content":"unlock is done"},"ms":473}');
INSERT INTO "events" VALUES (6, 304577115799, 1795932563668, 'tools-changed', '5e44d4691e414544', 230, '{"v":2,"type":"tools-changed","turn":"5e44d4691e414544","cause":"session","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"all":[{"name":"lock","hash":"fczouo"},{"name":"unlock","hash":"10dxh78"},{"name":"pay","hash":"4z3ate"}]}');
INSERT INTO "events" VALUES (7, 304577115799, 1795932563965, 'model-replied', '5e44d4691e414544', 380, '{"v":1,"type":"model-replied","turn":"5e44d4691e414544","model":"scripted","text":"","toolCalls":[{"id":"5e44d4691e414544.7.0","providerId":"call_1_0","name":"pay","input":"{}"},{"id":"5e44d4691e414544.7.1","providerId":"call_1_1","name":"lock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (8, 304577115799, 1795932563965, 'tool-call-started', '5e44d4691e414544', 106, '{"v":1,"type":"tool-call-started","turn":"5e44d4691e414544","call":"5e44d4691e414544.7.0","effect":"once"}');
INSERT INTO "events" VALUES (9, 304577115799, 1795932563965, 'tool-call-started', '5e44d4691e414544', 106, '{"v":1,"type":"tool-call-started","turn":"5e44d4691e414544","call":"5e44d4691e414544.7.1","effect":"read"}');
INSERT INTO "events" VALUES (10, 304577115799, 1795932564432, 'tool-call-ended', '5e44d4691e414544', 147, '{"v":1,"type":"tool-call-ended","turn":"5e44d4691e414544","call":"5e44d4691e414544.7.1","result":{"type":"text","content":"lock is done"},"ms":348}');
INSERT INTO "events" VALUES (11, 304577115799, 1795932564432, 'tool-call-ended', '5e44d4691e414544', 146, '{"v":1,"type":"tool-call-ended","turn":"5e44d4691e414544","call":"5e44d4691e414544.7.0","result":{"type":"text","content":"pay is done"},"ms":302}');
INSERT INTO "events" VALUES (12, 304577115799, 1795932564432, 'tools-changed', '5e44d4691e414544', 124, '{"v":2,"type":"tools-changed","turn":"5e44d4691e414544","came":[],"went":[{"name":"pay","hash":"4z3ate"}],"cause":"session"}');
INSERT INTO "events" VALUES (13, 304577115799, 1795932564750, 'model-replied', '5e44d4691e414544', 304, '{"v":1,"type":"model-replied","turn":"5e44d4691e414544","model":"scripted","text":"","toolCalls":[{"id":"5e44d4691e414544.13.0","providerId":"call_2_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 304577115799, 1795932564750, 'tool-call-started', '5e44d4691e414544', 113, '{"v":1,"type":"tool-call-started","turn":"5e44d4691e414544","call":"5e44d4691e414544.13.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (15, 304577115799, 1795932564985, 'tool-call-ended', '5e44d4691e414544', 150, '{"v":1,"type":"tool-call-ended","turn":"5e44d4691e414544","call":"5e44d4691e414544.13.0","result":{"type":"text","content":"unlock is done"},"ms":126}');
INSERT INTO "events" VALUES (16, 304577115799, 1795932564985, 'tools-changed', '5e44d4691e414544', 124, '{"v":2,"type":"tools-changed","turn":"5e44d4691e414544","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"cause":"session"}');
INSERT INTO "events" VALUES (17, 304577115799, 1795932565150, 'model-replied', '5e44d4691e414544', 223, '{"v":1,"type":"model-replied","turn":"5e44d4691e414544","model":"scripted","text":"Unlocked.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 304577115799, 1795932565150, 'turn-ended', '5e44d4691e414544', 75, '{"v":1,"type":"turn-ended","turn":"5e44d4691e414544","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 304577115799, '660e906ae8cb46dc', NULL, 'free', 'started', 0, 0, 1795932565151, 18, 1795932561750, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
