-- do/holdfast-SessionObject/736c2e4c4c71df7b2d2a39442aa970a5c19a1fe6fc1ace9dc044690d613cb284.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","strategies","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939385, 'session-opened', '', 85, NULL, '{"v":1,"type":"session-opened","incarnation":"e733fa7b57e643d9","agent":"strategies"}');
INSERT INTO "events" VALUES (2, 0, 1795936939385, 'turn-started', '7700fe762e3647de', 137, NULL, '{"v":1,"type":"turn-started","turn":"7700fe762e3647de","loopId":"7700fe762e3647de","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 773311992992, 1795936939835, 'model-replied tool-call-started', '7700fe762e3647de', 415, '303 112', '{"v":1,"type":"model-replied","turn":"7700fe762e3647de","model":"scripted","text":"","toolCalls":[{"id":"7700fe762e3647de.3.0","providerId":"call_0_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"7700fe762e3647de","call":"7700fe762e3647de.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 773311992992, 1795936940122, 'tool-call-ended tools-changed', '7700fe762e3647de', 379, '149 230', '{"v":1,"type":"tool-call-ended","turn":"7700fe762e3647de","call":"7700fe762e3647de.3.0","result":{"type":"text","content":"unlock is done"},"ms":180}{"v":1,"type":"tools-changed","turn":"7700fe762e3647de","cause":"session","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"all":[{"name":"lock","hash":"fczouo"},{"name":"unlock","hash":"10dxh78"},{"name":"pay","hash":"4z3ate"}]}');
INSERT INTO "events" VALUES (9, 773311992992, 1795936940265, 'model-replied tool-call-started tool-call-started', '7700fe762e3647de', 592, '380 106 106', '{"v":1,"type":"model-replied","turn":"7700fe762e3647de","model":"scripted","text":"","toolCalls":[{"id":"7700fe762e3647de.7.0","providerId":"call_1_0","name":"pay","input":"{}"},{"id":"7700fe762e3647de.7.1","providerId":"call_1_1","name":"lock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"7700fe762e3647de","call":"7700fe762e3647de.7.0","effect":"once"}{"v":1,"type":"tool-call-started","turn":"7700fe762e3647de","call":"7700fe762e3647de.7.1","effect":"read"}');
INSERT INTO "events" VALUES (12, 773311992992, 1795936940436, 'tool-call-ended tool-call-ended tools-changed', '7700fe762e3647de', 417, '147 146 124', '{"v":1,"type":"tool-call-ended","turn":"7700fe762e3647de","call":"7700fe762e3647de.7.1","result":{"type":"text","content":"lock is done"},"ms":141}{"v":1,"type":"tool-call-ended","turn":"7700fe762e3647de","call":"7700fe762e3647de.7.0","result":{"type":"text","content":"pay is done"},"ms":130}{"v":1,"type":"tools-changed","turn":"7700fe762e3647de","came":[],"went":[{"name":"pay","hash":"4z3ate"}],"cause":"session"}');
INSERT INTO "events" VALUES (14, 773311992992, 1795936940591, 'model-replied tool-call-started', '7700fe762e3647de', 417, '304 113', '{"v":1,"type":"model-replied","turn":"7700fe762e3647de","model":"scripted","text":"","toolCalls":[{"id":"7700fe762e3647de.13.0","providerId":"call_2_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"7700fe762e3647de","call":"7700fe762e3647de.13.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (16, 773311992992, 1795936940722, 'tool-call-ended tools-changed', '7700fe762e3647de', 273, '149 124', '{"v":1,"type":"tool-call-ended","turn":"7700fe762e3647de","call":"7700fe762e3647de.13.0","result":{"type":"text","content":"unlock is done"},"ms":99}{"v":1,"type":"tools-changed","turn":"7700fe762e3647de","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"cause":"session"}');
INSERT INTO "events" VALUES (18, 773311992992, 1795936940793, 'model-replied turn-ended', '7700fe762e3647de', 298, '223 75', '{"v":1,"type":"model-replied","turn":"7700fe762e3647de","model":"scripted","text":"Unlocked.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"7700fe762e3647de","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 773311992992, 'a22dc1f89f95441f', NULL, 'free', 'started', 0, 0, 1795936940793, 18, 1795936939386, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
