-- do/holdfast-SessionObject/736c2e4c4c71df7b2d2a39442aa970a5c19a1fe6fc1ace9dc044690d613cb284.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","strategies","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346772, 'session-opened', '', 85, NULL, '{"v":1,"type":"session-opened","incarnation":"894240387a024a39","agent":"strategies"}');
INSERT INTO "events" VALUES (2, 0, 1795939346772, 'turn-started', 'f1fe1018b51a4767', 137, NULL, '{"v":1,"type":"turn-started","turn":"f1fe1018b51a4767","loopId":"f1fe1018b51a4767","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 563369985756, 1795939347252, 'model-replied tool-call-started', 'f1fe1018b51a4767', 415, '303 112', '{"v":1,"type":"model-replied","turn":"f1fe1018b51a4767","model":"scripted","text":"","toolCalls":[{"id":"f1fe1018b51a4767.3.0","providerId":"call_0_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 563369985756, 1795939347548, 'tool-call-ended tools-changed', 'f1fe1018b51a4767', 379, '149 230', '{"v":1,"type":"tool-call-ended","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.3.0","result":{"type":"text","content":"unlock is done"},"ms":198}{"v":1,"type":"tools-changed","turn":"f1fe1018b51a4767","cause":"session","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"all":[{"name":"lock","hash":"fczouo"},{"name":"unlock","hash":"10dxh78"},{"name":"pay","hash":"4z3ate"}]}');
INSERT INTO "events" VALUES (9, 563369985756, 1795939347676, 'model-replied tool-call-started tool-call-started', 'f1fe1018b51a4767', 592, '380 106 106', '{"v":1,"type":"model-replied","turn":"f1fe1018b51a4767","model":"scripted","text":"","toolCalls":[{"id":"f1fe1018b51a4767.7.0","providerId":"call_1_0","name":"pay","input":"{}"},{"id":"f1fe1018b51a4767.7.1","providerId":"call_1_1","name":"lock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.7.0","effect":"once"}{"v":1,"type":"tool-call-started","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.7.1","effect":"read"}');
INSERT INTO "events" VALUES (12, 563369985756, 1795939347846, 'tool-call-ended tool-call-ended tools-changed', 'f1fe1018b51a4767', 417, '147 146 124', '{"v":1,"type":"tool-call-ended","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.7.1","result":{"type":"text","content":"lock is done"},"ms":153}{"v":1,"type":"tool-call-ended","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.7.0","result":{"type":"text","content":"pay is done"},"ms":124}{"v":1,"type":"tools-changed","turn":"f1fe1018b51a4767","came":[],"went":[{"name":"pay","hash":"4z3ate"}],"cause":"session"}');
INSERT INTO "events" VALUES (14, 563369985756, 1795939347940, 'model-replied tool-call-started', 'f1fe1018b51a4767', 417, '304 113', '{"v":1,"type":"model-replied","turn":"f1fe1018b51a4767","model":"scripted","text":"","toolCalls":[{"id":"f1fe1018b51a4767.13.0","providerId":"call_2_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.13.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (16, 563369985756, 1795939348018, 'tool-call-ended tools-changed', 'f1fe1018b51a4767', 273, '149 124', '{"v":1,"type":"tool-call-ended","turn":"f1fe1018b51a4767","call":"f1fe1018b51a4767.13.0","result":{"type":"text","content":"unlock is done"},"ms":64}{"v":1,"type":"tools-changed","turn":"f1fe1018b51a4767","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"cause":"session"}');
INSERT INTO "events" VALUES (18, 563369985756, 1795939348075, 'model-replied turn-ended', 'f1fe1018b51a4767', 298, '223 75', '{"v":1,"type":"model-replied","turn":"f1fe1018b51a4767","model":"scripted","text":"Unlocked.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"f1fe1018b51a4767","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 563369985756, '73e54a2741f3499c', NULL, 'free', 'started', 0, 0, 1795939348075, 18, 1795939346772, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
