package io.understudy.sql;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Analyses the bytes of statements. Thread-safe. Never throws because of the text; takes time linear in its length,
 * which is bounded.
 *
 * <p>Every method takes the statement as {@code [off, off + len)} of a heap array, without the command byte, and the
 * session's {@link SqlModes} bits. The array is not retained.
 */
public final class SqlAnalyzer {

    /** Bytes of a statement that are analysed; a longer one is never a pure read. */
    public static final int DEFAULT_MAX_LENGTH = 64 * 1024;

    /** Number of cached summaries. */
    public static final int DEFAULT_CACHE_SIZE = 8192;

    private static final int MAX_NORMAL_LENGTH = 1024;
    /** Internal bit: the text has a byte from 0x80, whose meaning is unknown under an unsafe character set. */
    private static final int NOT_ASCII = 1 << 20;

    private record Entry(long digest, long fingerprint, StatementSummary summary) {}

    /** Per-thread working memory; nothing in it outlives a call. */
    private static final class Scratch {
        final Lexer lexer = new Lexer();
        final Digester digester = new Digester(lexer);
        final Summarizer summarizer = new Summarizer(lexer);
        final LookupWriter lookups = new LookupWriter();
        final Tokens tokens = new Tokens();
    }

    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private volatile int maxLength;
    private final AtomicReferenceArray<@Nullable Entry> cache;

    public SqlAnalyzer() {
        this(DEFAULT_MAX_LENGTH, DEFAULT_CACHE_SIZE);
    }

    /**
     * Creates an analyser with the given bounds.
     *
     * @param maxLength bytes of a statement that are analysed
     * @param cacheSize number of cached summaries, rounded up to a power of two
     */
    public SqlAnalyzer(int maxLength, int cacheSize) {
        if (maxLength < 1 || cacheSize < 1 || cacheSize > 1 << 24) {
            throw new IllegalArgumentException("SqlAnalyzer(" + maxLength + ", " + cacheSize
                    + "): give a positive length and at most 2^24 entries");
        }
        this.maxLength = maxLength;
        int size = Integer.highestOneBit(cacheSize);
        cache = new AtomicReferenceArray<>(size == cacheSize ? size : size << 1);
    }

    /** Sets the bytes of a statement that are analysed. */
    public void setMaxLength(int bytes) {
        maxLength = bytes;
    }

    /**
     * Returns the digest: equal for statements that differ only in literals, list lengths, blanks, comments, case or
     * quotes.
     */
    public long digest(byte[] text, int off, int len, int modes) {
        Digester digester = SCRATCH.get().digester;
        int n = Math.min(len, maxLength);
        digester.run(text, off, n, modes, len > n, null);
        return digester.digest;
    }

    /** Returns the statement's summary, from the cache if an equivalent statement was seen recently. */
    public StatementSummary summarize(byte[] text, int off, int len, int modes) {
        if ((modes & SqlModes.QUOTES_UNKNOWN) == 0) {
            return summarizeAs(text, off, len, modes);
        }
        int guess = modes & ~SqlModes.QUOTES_UNKNOWN;
        StatementSummary summary = summarizeAs(text, off, len, guess);
        if (!hasDoubleQuote(text, off, Math.min(len, maxLength))) {
            return summary;
        }
        StatementSummary other = summarizeAs(text, off, len, guess ^ SqlModes.ANSI_QUOTES);
        return summary.asSureAs(other);
    }

    /**
     * Returns a pure read of the rows that an UPDATE, a DELETE or a locking read selects, or null if the text is no
     * such statement or the read is not certain. The read is classified like any other text.
     */
    public @Nullable Lookup lookup(byte[] text, int off, int len, int modes) {
        if (isUncertain(text, off, len, modes)) {
            return null;
        }
        Scratch scratch = SCRATCH.get();
        byte[] read = scratch.lookups.write(scratch.lexer, text, off, len, modes & ~SqlModes.QUOTES_UNKNOWN);
        if (read == null) {
            return null;
        }
        StatementSummary summary = summarize(read, 0, read.length, modes);
        boolean certain = summary.pureRead()
                && summary.kind() == StatementKind.SELECT
                && summary.reads().size() == 1
                && !summary.sessionDependent();
        return certain ? new Lookup(read, summary) : null;
    }

    /**
     * Returns how the text changes the session's locks.
     *
     * @param cut whether the statement goes on behind {@code len}
     */
    public LockChange lockChange(byte[] text, int off, int len, int modes, boolean cut) {
        Scratch scratch = SCRATCH.get();
        int n = Math.min(len, maxLength);
        scratch.tokens.load(scratch.lexer, text, off, n, modes & ~SqlModes.QUOTES_UNKNOWN);
        LockChange change = LockChange.of(scratch.tokens, cut || n < len);
        scratch.tokens.release();
        return change;
    }

    /** Returns the values of a plain INSERT or REPLACE; null if the text is none, or not certain to be one. */
    public @Nullable InsertedValues insertedValues(byte[] text, int off, int len, int modes) {
        return isUncertain(text, off, len, modes)
                ? null
                : InsertedValues.parse(SCRATCH.get().lexer, text, off, len, modes & ~SqlModes.QUOTES_UNKNOWN);
    }

    /** Returns whether a text is too long, or its tokens are not known for certain. */
    private boolean isUncertain(byte[] text, int off, int len, int modes) {
        return len > maxLength
                || (modes & SqlModes.UNSAFE_CHARSET) != 0 && !isAscii(text, off, len)
                || (modes & SqlModes.QUOTES_UNKNOWN) != 0 && hasDoubleQuote(text, off, len);
    }

    private static boolean hasDoubleQuote(byte[] text, int off, int len) {
        for (int p = off; p < off + len; p++) {
            if (text[p] == '"') {
                return true;
            }
        }
        return false;
    }

    private StatementSummary summarizeAs(byte[] text, int off, int len, int modes) {
        Scratch scratch = SCRATCH.get();
        int n = Math.min(len, maxLength);
        boolean cut = len > n;
        int bits = modes;
        if ((modes & SqlModes.UNSAFE_CHARSET) != 0 && !isAscii(text, off, n)) {
            bits |= NOT_ASCII;
        }
        Digester digester = scratch.digester;
        digester.run(text, off, n, bits, cut, null);
        long digest = digester.digest;
        long fingerprint = digester.fingerprint;
        int slot = (int) (digest ^ fingerprint) & cache.length() - 1;
        Entry entry = cache.get(slot);
        if (entry != null && entry.digest == digest && entry.fingerprint == fingerprint) {
            return entry.summary;
        }
        NotPure outer = cut ? NotPure.TOO_LONG : (bits & NOT_ASCII) != 0 ? NotPure.CHARSET : null;
        StatementSummary summary = scratch.summarizer.run(text, off, n, bits, digest, outer);
        cache.set(slot, new Entry(digest, fingerprint, summary));
        return summary;
    }

    /**
     * Returns the normalised text: literals as {@code ?}, lists and rows shortened to one, no comments, single blanks;
     * at most 1024 characters. Two statements of one digest have the same normalised text, except for the case of
     * names.
     */
    public String normalize(byte[] text, int off, int len, int modes) {
        return normalize(text, off, len, modes, MAX_NORMAL_LENGTH);
    }

    /** As above, with another bound than 1024 characters. */
    public String normalize(byte[] text, int off, int len, int modes, int most) {
        NormalText out = new NormalText(most);
        int n = Math.min(len, maxLength);
        SCRATCH.get().digester.run(text, off, n, modes, len > n, out);
        return out.finish();
    }

    static boolean isAscii(byte[] text, int off, int len) {
        int seen = 0;
        for (int p = off; p < off + len; p++) {
            seen |= text[p];
        }
        return seen >= 0;
    }
}
