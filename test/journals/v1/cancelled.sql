-- do/holdfast-SessionObject/215d0406529a9c7c55b03cf8b8a162fe04c10382bf4eb58b48b975e9d2157104.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 4);
INSERT INTO "schema" VALUES (1, '["ada","cancelled","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346788, 'session-opened', '', 84, NULL, '{"v":1,"type":"session-opened","incarnation":"ecf0f203df304ba5","agent":"cancelled"}');
INSERT INTO "events" VALUES (2, 0, 1795939346788, 'turn-started', '8adace0130f14577', 137, NULL, '{"v":1,"type":"turn-started","turn":"8adace0130f14577","loopId":"8adace0130f14577","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 127672659049, 1795939347368, 'model-replied tool-call-started', '8adace0130f14577', 490, '384 106', '{"v":1,"type":"model-replied","turn":"8adace0130f14577","model":"scripted","text":"","toolCalls":[{"id":"8adace0130f14577.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"8adace0130f14577.3.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"8adace0130f14577","call":"8adace0130f14577.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 127672659049, 1795939347378, 'tool-call-started', '8adace0130f14577', 112, NULL, '{"v":1,"type":"tool-call-started","turn":"8adace0130f14577","call":"8adace0130f14577.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (7, 127672659049, 1795939348399, 'cancel-requested tool-call-ended', '8adace0130f14577', 289, '59 230', '{"v":1,"type":"cancel-requested","turn":"8adace0130f14577"}{"v":1,"type":"tool-call-ended","turn":"8adace0130f14577","call":"8adace0130f14577.3.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":1018}');
INSERT INTO "events" VALUES (9, 127672659049, 1795939353399, 'tool-call-ended turn-ended', '8adace0130f14577', 447, '372 75', '{"v":1,"type":"tool-call-ended","turn":"8adace0130f14577","call":"8adace0130f14577.3.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":6024}{"v":1,"type":"turn-ended","turn":"8adace0130f14577","outcome":"cancelled"}');
INSERT INTO "events" VALUES (10, 0, 1795939354463, 'turn-started', '627e7bdeab594b60', 137, NULL, '{"v":1,"type":"turn-started","turn":"627e7bdeab594b60","loopId":"627e7bdeab594b60","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 127672659050, 1795939354470, 'late-result-received', '627e7bdeab594b60', 174, NULL, '{"v":1,"type":"late-result-received","turn":"627e7bdeab594b60","call":"8adace0130f14577.3.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "events" VALUES (13, 127672659050, 1795939354473, 'model-replied turn-ended', '627e7bdeab594b60', 311, '236 75', '{"v":1,"type":"model-replied","turn":"627e7bdeab594b60","model":"scripted","text":"It was charged, late.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"627e7bdeab594b60","outcome":"completed"}');
INSERT INTO "events" VALUES (14, 0, 1795939354481, 'turn-started', 'd23b00b14e2141d7', 137, NULL, '{"v":1,"type":"turn-started","turn":"d23b00b14e2141d7","loopId":"d23b00b14e2141d7","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (16, 127672659051, 1795939354496, 'model-replied tool-call-started', 'd23b00b14e2141d7', 493, '386 107', '{"v":1,"type":"model-replied","turn":"d23b00b14e2141d7","model":"scripted","text":"","toolCalls":[{"id":"d23b00b14e2141d7.15.0","providerId":"call_2_0","name":"charge","input":"{}"},{"id":"d23b00b14e2141d7.15.1","providerId":"call_2_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"d23b00b14e2141d7","call":"d23b00b14e2141d7.15.0","effect":"once"}');
INSERT INTO "events" VALUES (17, 127672659051, 1795939354498, 'tool-call-started', 'd23b00b14e2141d7', 113, NULL, '{"v":1,"type":"tool-call-started","turn":"d23b00b14e2141d7","call":"d23b00b14e2141d7.15.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (19, 127672659051, 1795939355503, 'cancel-requested tool-call-ended', 'd23b00b14e2141d7', 290, '59 231', '{"v":1,"type":"cancel-requested","turn":"d23b00b14e2141d7"}{"v":1,"type":"tool-call-ended","turn":"d23b00b14e2141d7","call":"d23b00b14e2141d7.15.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":1003}');
INSERT INTO "events" VALUES (21, 127672659051, 1795939360503, 'tool-call-ended turn-ended', 'd23b00b14e2141d7', 448, '373 75', '{"v":1,"type":"tool-call-ended","turn":"d23b00b14e2141d7","call":"d23b00b14e2141d7.15.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":6005}{"v":1,"type":"turn-ended","turn":"d23b00b14e2141d7","outcome":"cancelled"}');
INSERT INTO "lease" VALUES (1, 127672659051, '578346b1030a4a16', NULL, 'free', 'started', 0, 0, 1795939360503, 21, 1795939354489, 0, '', 0, NULL, 0);
INSERT INTO "inbox" VALUES (4, 'late', 'd23b00b14e2141d7', '{"call":"d23b00b14e2141d7.15.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
