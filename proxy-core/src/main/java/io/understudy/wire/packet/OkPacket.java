package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Capabilities;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.ServerStatus;

/**
 * What an OK packet says, as a reusable holder: parsing allocates nothing. Also reads the OK packet with header 0xFE that
 * ends rows under {@link Capabilities#DEPRECATE_EOF}. Session state is only located, see {@link SessionState}.
 */
public final class OkPacket {
    private long affectedRows;
    private long lastInsertId;
    private int status;
    private int warnings;
    private int infoAt;
    private int infoLength;
    private int stateAt;
    private int stateLength;

    /**
     * Parses {@code length} bytes of payload from {@code index}.
     *
     * @throws MalformedPacketException when a field is cut off
     */
    public void parse(ByteBuf buf, int index, int length, long capabilities) {
        ByteBuf in = buf.slice(index, length);
        in.skipBytes(1);
        affectedRows = LengthEncoded.read(in);
        lastInsertId = LengthEncoded.read(in);
        if (in.readableBytes() < 4) {
            throw new MalformedPacketException("OK packet ends before its status bits");
        }
        status = in.readUnsignedShortLE();
        warnings = in.readUnsignedShortLE();
        infoAt = index + in.readerIndex();
        infoLength = in.readableBytes();
        stateAt = 0;
        stateLength = 0;
        if ((capabilities & Capabilities.SESSION_TRACK) != 0 && in.isReadable()) {
            infoLength = LengthEncoded.readLength(in);
            infoAt = index + in.readerIndex();
            in.skipBytes(infoLength);
            if ((status & ServerStatus.SESSION_STATE_CHANGED) != 0 && in.isReadable()) {
                stateLength = LengthEncoded.readLength(in);
                stateAt = index + in.readerIndex();
            }
        }
    }

    public long affectedRows() {
        return affectedRows;
    }

    public long lastInsertId() {
        return lastInsertId;
    }

    public int status() {
        return status;
    }

    public int warnings() {
        return warnings;
    }

    /** Index of the human-readable info in the parsed buffer. */
    public int infoAt() {
        return infoAt;
    }

    public int infoLength() {
        return infoLength;
    }

    /** Index of the session state's entries in the parsed buffer; meaningful when {@link #stateLength} is not 0. */
    public int stateAt() {
        return stateAt;
    }

    public int stateLength() {
        return stateLength;
    }
}
