-- do/holdfast-SessionObject/215d0406529a9c7c55b03cf8b8a162fe04c10382bf4eb58b48b975e9d2157104.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 4);
INSERT INTO "schema" VALUES (1, '["ada","cancelled","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939407, 'session-opened', '', 84, NULL, '{"v":1,"type":"session-opened","incarnation":"c8a4e9e11fc14322","agent":"cancelled"}');
INSERT INTO "events" VALUES (2, 0, 1795936939407, 'turn-started', '5679f1e511934af6', 137, NULL, '{"v":1,"type":"turn-started","turn":"5679f1e511934af6","loopId":"5679f1e511934af6","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 589996173434, 1795936939936, 'model-replied tool-call-started', '5679f1e511934af6', 490, '384 106', '{"v":1,"type":"model-replied","turn":"5679f1e511934af6","model":"scripted","text":"","toolCalls":[{"id":"5679f1e511934af6.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"5679f1e511934af6.3.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"5679f1e511934af6","call":"5679f1e511934af6.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 589996173434, 1795936939955, 'tool-call-started', '5679f1e511934af6', 112, NULL, '{"v":1,"type":"tool-call-started","turn":"5679f1e511934af6","call":"5679f1e511934af6.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (7, 589996173434, 1795936941005, 'cancel-requested tool-call-ended', '5679f1e511934af6', 289, '59 230', '{"v":1,"type":"cancel-requested","turn":"5679f1e511934af6"}{"v":1,"type":"tool-call-ended","turn":"5679f1e511934af6","call":"5679f1e511934af6.3.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":1019}');
INSERT INTO "events" VALUES (9, 589996173434, 1795936945983, 'tool-call-ended turn-ended', '5679f1e511934af6', 447, '372 75', '{"v":1,"type":"tool-call-ended","turn":"5679f1e511934af6","call":"5679f1e511934af6.3.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":6038}{"v":1,"type":"turn-ended","turn":"5679f1e511934af6","outcome":"cancelled"}');
INSERT INTO "events" VALUES (10, 0, 1795936947010, 'turn-started', 'bccb813d8f134685', 137, NULL, '{"v":1,"type":"turn-started","turn":"bccb813d8f134685","loopId":"bccb813d8f134685","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 589996173435, 1795936947033, 'late-result-received', 'bccb813d8f134685', 174, NULL, '{"v":1,"type":"late-result-received","turn":"bccb813d8f134685","call":"5679f1e511934af6.3.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "events" VALUES (13, 589996173435, 1795936947050, 'model-replied turn-ended', 'bccb813d8f134685', 311, '236 75', '{"v":1,"type":"model-replied","turn":"bccb813d8f134685","model":"scripted","text":"It was charged, late.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"bccb813d8f134685","outcome":"completed"}');
INSERT INTO "events" VALUES (14, 0, 1795936947066, 'turn-started', '250b40c561de423f', 137, NULL, '{"v":1,"type":"turn-started","turn":"250b40c561de423f","loopId":"250b40c561de423f","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (16, 589996173436, 1795936947105, 'model-replied tool-call-started', '250b40c561de423f', 493, '386 107', '{"v":1,"type":"model-replied","turn":"250b40c561de423f","model":"scripted","text":"","toolCalls":[{"id":"250b40c561de423f.15.0","providerId":"call_2_0","name":"charge","input":"{}"},{"id":"250b40c561de423f.15.1","providerId":"call_2_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"250b40c561de423f","call":"250b40c561de423f.15.0","effect":"once"}');
INSERT INTO "events" VALUES (17, 589996173436, 1795936947112, 'tool-call-started', '250b40c561de423f', 113, NULL, '{"v":1,"type":"tool-call-started","turn":"250b40c561de423f","call":"250b40c561de423f.15.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (19, 589996173436, 1795936948139, 'cancel-requested tool-call-ended', '250b40c561de423f', 290, '59 231', '{"v":1,"type":"cancel-requested","turn":"250b40c561de423f"}{"v":1,"type":"tool-call-ended","turn":"250b40c561de423f","call":"250b40c561de423f.15.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":1023}');
INSERT INTO "events" VALUES (21, 589996173436, 1795936953143, 'tool-call-ended turn-ended', '250b40c561de423f', 448, '373 75', '{"v":1,"type":"tool-call-ended","turn":"250b40c561de423f","call":"250b40c561de423f.15.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":6031}{"v":1,"type":"turn-ended","turn":"250b40c561de423f","outcome":"cancelled"}');
INSERT INTO "lease" VALUES (1, 589996173436, '8df02bdadfa94a75', NULL, 'free', 'started', 0, 0, 1795936953143, 21, 1795936947082, 0, '', 0);
INSERT INTO "inbox" VALUES (4, 'late', '250b40c561de423f', '{"call":"250b40c561de423f.15.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
