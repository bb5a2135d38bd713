-- do/holdfast-SessionObject/215d0406529a9c7c55b03cf8b8a162fe04c10382bf4eb58b48b975e9d2157104.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "sqlite_sequence" VALUES ('inbox', 4);
INSERT INTO "schema" VALUES (2, '["ada","cancelled","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781507, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"ba09e51190d240f5","agent":"cancelled"}');
INSERT INTO "events" VALUES (2, 0, 1795369781507, 'turn-started', 'a060e990f9fe4ade', 137, '{"v":1,"type":"turn-started","turn":"a060e990f9fe4ade","loopId":"a060e990f9fe4ade","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 915423859207, 1795369781937, 'model-replied', 'a060e990f9fe4ade', 331, '{"v":1,"type":"model-replied","turn":"a060e990f9fe4ade","model":"scripted","text":"","toolCalls":[{"id":"a060e990f9fe4ade.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"a060e990f9fe4ade.3.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 915423859207, 1795369781937, 'tool-call-started', 'a060e990f9fe4ade', 106, '{"v":1,"type":"tool-call-started","turn":"a060e990f9fe4ade","call":"a060e990f9fe4ade.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 915423859207, 1795369781937, 'tool-call-started', 'a060e990f9fe4ade', 112, '{"v":1,"type":"tool-call-started","turn":"a060e990f9fe4ade","call":"a060e990f9fe4ade.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 915423859207, 1795369788595, 'cancel-requested', 'a060e990f9fe4ade', 59, '{"v":1,"type":"cancel-requested","turn":"a060e990f9fe4ade"}');
INSERT INTO "events" VALUES (7, 915423859207, 1795369788595, 'tool-call-ended', 'a060e990f9fe4ade', 230, '{"v":1,"type":"tool-call-ended","turn":"a060e990f9fe4ade","call":"a060e990f9fe4ade.3.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":6652}');
INSERT INTO "events" VALUES (8, 915423859207, 1795369793595, 'tool-call-ended', 'a060e990f9fe4ade', 373, '{"v":1,"type":"tool-call-ended","turn":"a060e990f9fe4ade","call":"a060e990f9fe4ade.3.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":11654}');
INSERT INTO "events" VALUES (9, 915423859207, 1795369793595, 'turn-ended', 'a060e990f9fe4ade', 75, '{"v":1,"type":"turn-ended","turn":"a060e990f9fe4ade","outcome":"cancelled"}');
INSERT INTO "events" VALUES (10, 0, 1795369794613, 'turn-started', 'e249cce316f5481e', 137, '{"v":1,"type":"turn-started","turn":"e249cce316f5481e","loopId":"e249cce316f5481e","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 915423859208, 1795369794620, 'late-result-received', 'e249cce316f5481e', 174, '{"v":1,"type":"late-result-received","turn":"e249cce316f5481e","call":"a060e990f9fe4ade.3.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "events" VALUES (12, 915423859208, 1795369794622, 'model-replied', 'e249cce316f5481e', 183, '{"v":1,"type":"model-replied","turn":"e249cce316f5481e","model":"scripted","text":"It was charged, late.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 915423859208, 1795369794622, 'turn-ended', 'e249cce316f5481e', 75, '{"v":1,"type":"turn-ended","turn":"e249cce316f5481e","outcome":"completed"}');
INSERT INTO "events" VALUES (14, 0, 1795369794628, 'turn-started', '6ad7fb3234f045e2', 137, '{"v":1,"type":"turn-started","turn":"6ad7fb3234f045e2","loopId":"6ad7fb3234f045e2","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (15, 915423859209, 1795369794647, 'model-replied', '6ad7fb3234f045e2', 333, '{"v":1,"type":"model-replied","turn":"6ad7fb3234f045e2","model":"scripted","text":"","toolCalls":[{"id":"6ad7fb3234f045e2.15.0","providerId":"call_2_0","name":"charge","input":"{}"},{"id":"6ad7fb3234f045e2.15.1","providerId":"call_2_1","name":"mail","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 915423859209, 1795369794647, 'tool-call-started', '6ad7fb3234f045e2', 107, '{"v":1,"type":"tool-call-started","turn":"6ad7fb3234f045e2","call":"6ad7fb3234f045e2.15.0","effect":"once"}');
INSERT INTO "events" VALUES (17, 915423859209, 1795369794647, 'tool-call-started', '6ad7fb3234f045e2', 113, '{"v":1,"type":"tool-call-started","turn":"6ad7fb3234f045e2","call":"6ad7fb3234f045e2.15.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (18, 915423859209, 1795369801318, 'cancel-requested', '6ad7fb3234f045e2', 59, '{"v":1,"type":"cancel-requested","turn":"6ad7fb3234f045e2"}');
INSERT INTO "events" VALUES (19, 915423859209, 1795369801318, 'tool-call-ended', '6ad7fb3234f045e2', 231, '{"v":1,"type":"tool-call-ended","turn":"6ad7fb3234f045e2","call":"6ad7fb3234f045e2.15.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":6668}');
INSERT INTO "events" VALUES (20, 915423859209, 1795369806318, 'tool-call-ended', '6ad7fb3234f045e2', 374, '{"v":1,"type":"tool-call-ended","turn":"6ad7fb3234f045e2","call":"6ad7fb3234f045e2.15.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":11669}');
INSERT INTO "events" VALUES (21, 915423859209, 1795369806318, 'turn-ended', '6ad7fb3234f045e2', 75, '{"v":1,"type":"turn-ended","turn":"6ad7fb3234f045e2","outcome":"cancelled"}');
INSERT INTO "lease" VALUES (1, 915423859209, 'bbacdd23e327455b', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "inbox" VALUES (4, 'late', '6ad7fb3234f045e2', '{"call":"6ad7fb3234f045e2.15.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
