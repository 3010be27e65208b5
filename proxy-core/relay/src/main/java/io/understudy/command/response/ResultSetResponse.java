package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.ServerStatus;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.Packets;

/**
 * The response to a statement, text or binary: any number of results, each an OK, an ERR, a request for a local file,
 * or column definitions and rows.
 *
 * <p>A row may begin with 0xFE, too: it is then the length of a value of at least 16 MB, so the packet has the maximum
 * length. That is why 0xFE alone ends nothing, and why the two EOF modes have different limits. With a cursor there are
 * no rows: the status bits after the definitions tell.
 */
final class ResultSetResponse extends ResponseGrammar {
    private static final int HEAD = 0;
    private static final int DEFINITIONS = 1;
    private static final int DEFINITIONS_END = 2;
    static final int ROWS = 3;
    private static final int FILE = 4;

    private static final int COUNT_LENGTH = 10;
    /** Fits a statement of 1 GiB: without a table, MariaDB's select list has no limit of its own. */
    private static final int MAX_COLUMNS = 1 << 29;

    private final int initialPhase;

    /** @param initialPhase {@link #ROWS} for responses that begin with the rows, such as that of COM_STMT_FETCH */
    ResultSetResponse(int initialPhase) {
        this.initialPhase = initialPhase;
    }

    @Override
    public int packet(ResponseProgress p, int length, int first) {
        if (p.packets() == 1) {
            p.phase = initialPhase;
        }
        if (first == Marker.ERR) {
            return ERR_LIMIT;
        }
        return switch (p.phase) {
            case HEAD, FILE -> head(p, length, first);
            case DEFINITIONS -> {
                definition(p);
                yield 0;
            }
            case DEFINITIONS_END -> EOF_LENGTH;
            default -> row(p, length, first);
        };
    }

    private static int head(ResponseProgress p, int length, int first) {
        p.wantClientData(false);
        if (first == Marker.OK) {
            return OK_PACKET;
        }
        if (first == Marker.LOCAL_INFILE) {
            p.phase = FILE;
            p.wantClientData(true);
            p.fileUnfinished(true);
            return 0;
        }
        if (length == 0) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.RESPONSE_START, "an empty packet where a response begins");
        }
        return COUNT_LENGTH;
    }

    private static void definition(ResponseProgress p) {
        p.remaining--;
        if (p.remaining == 0) {
            p.phase = p.has(Capabilities.DEPRECATE_EOF) ? ROWS : DEFINITIONS_END;
        }
    }

    @Override
    boolean definitionNext(ResponseProgress p) {
        return p.phase == DEFINITIONS;
    }

    private static int row(ResponseProgress p, int length, int first) {
        if (first == Marker.EOF) {
            if (p.has(Capabilities.DEPRECATE_EOF)) {
                if (length < Packets.MAX_PAYLOAD) {
                    return OK_PACKET;
                }
            } else if (length < 9) {
                return EOF_LENGTH;
            }
        }
        p.countRow();
        return 0;
    }

    @Override
    public boolean takesRows(ResponseProgress p) {
        return p.phase == ROWS && !p.over();
    }

    @Override
    public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
        if (p.first == Marker.ERR) {
            error(p, buf, index, length);
            return;
        }
        switch (p.phase) {
            case HEAD, FILE -> {
                if (p.first == Marker.OK) {
                    p.readOk(buf, index, length);
                    resultOver(p);
                } else {
                    columnCount(p, buf, index, length);
                }
            }
            case DEFINITIONS_END -> {
                p.readEof(buf, index, length);
                if (p.cursorGranted()) {
                    p.end();
                } else {
                    p.phase = ROWS;
                    p.outParameters = (p.status() & ServerStatus.PS_OUT_PARAMS) != 0;
                }
            }
            default -> {
                if (p.has(Capabilities.DEPRECATE_EOF)) {
                    p.readOk(buf, index, length);
                    p.cursorGranted();
                } else {
                    p.readEof(buf, index, length);
                }
                resultOver(p);
            }
        }
    }

    private static void columnCount(ResponseProgress p, ByteBuf buf, int index, int length) {
        int size = LengthEncoded.size(p.first);
        if (size > length) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.RESPONSE_START, "a column count is cut off");
        }
        long columns = LengthEncoded.get(buf, index);
        if (columns <= 0 || columns > MAX_COLUMNS) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.RESPONSE_START,
                    "a response begins with byte " + p.first + ", which is no column count");
        }
        boolean optional = p.has(Capabilities.MARIADB_CACHE_METADATA | Capabilities.OPTIONAL_RESULTSET_METADATA);
        boolean follows = !optional || size >= length || buf.getByte(index + size) != 0;
        if (follows) {
            p.phase = DEFINITIONS;
            p.remaining = columns;
        } else {
            p.phase = p.has(Capabilities.DEPRECATE_EOF) ? ROWS : DEFINITIONS_END;
        }
    }

    private static void resultOver(ResponseProgress p) {
        // MySQL denies in the EOF behind OUT parameters that the closing OK of their CALL follows.
        if ((p.status() & ServerStatus.MORE_RESULTS_EXISTS) != 0 || p.outParameters) {
            p.phase = HEAD;
            p.outParameters = false;
        } else {
            p.end();
        }
    }

    @Override
    public void clientPacket(ResponseProgress p, int length) {
        if (length == 0) {
            p.wantClientData(false);
            p.fileUnfinished(false);
        }
    }
}
