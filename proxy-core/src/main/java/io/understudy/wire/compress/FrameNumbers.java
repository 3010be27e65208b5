package io.understudy.wire.compress;

/**
 * The numbers of a compressed connection: of frames, and of the packets in them.
 *
 * <p>Both products number frames from 0 at each command and check that; after each flush they go on numbering packets from
 * the frames' number, and nobody checks those. A connection without compression has its packets' numbers checked, so what
 * comes out of frames is numbered as it would have been without: on from the last packet, whichever side sent it; from 0
 * for a command, and from 1 for an answer that begins while several are due. Where answers begin is a guess here, wrong behind a
 * command without an answer; a session that follows its answers numbers them itself.
 *
 * <p>Sources: MySQL's {@code sql-common/net_serv.cc} and MariaDB's {@code sql/net_serv.cc}: {@code net_write_packet},
 * {@code net_flush}, {@code my_real_read}.
 */
final class FrameNumbers {
    private static final int MASK = 0xFF;

    private final boolean weAreServer;
    private int nextFrame;
    private int nextPacket;
    /** Commands sent whose answers have not begun. */
    private int due;
    /** Number, as it came, of the last packet that the client sent; -1 when the server has spoken since. */
    private int lastOfClient = -1;

    /** @param weAreServer the other side is a client */
    FrameNumbers(boolean weAreServer) {
        this.weAreServer = weAreServer;
    }

    /** A frame of the other side has come: ours go on from there. */
    void frameReceived(int number) {
        nextFrame = number + 1 & MASK;
    }

    /** For the next frame of ours. */
    int nextFrame() {
        int number = nextFrame;
        nextFrame = number + 1 & MASK;
        return number;
    }

    /** A packet of the other side: gives the number it would have had without compression. */
    int packetReceived(int number) {
        if (weAreServer) {
            if (clientBeginsCommand(number)) {
                nextPacket = 0;
            }
        } else {
            lastOfClient = -1;
            if (number == 1 && due > 0) {
                due--;
                nextPacket = 1;
            }
        }
        int is = nextPacket;
        nextPacket = is + 1 & MASK;
        return is;
    }

    /**
     * A packet of ours.
     *
     * @return whether it is a command, which needs a frame of its own, numbered 0
     */
    boolean packetSent(int number) {
        nextPacket = number + 1 & MASK;
        if (weAreServer) {
            lastOfClient = -1;
            return false;
        }
        if (!clientBeginsCommand(number)) {
            return false;
        }
        due++;
        nextFrame = 0;
        return true;
    }

    /** Number 0 behind number 255 is just the next packet of something long, such as a file. */
    private boolean clientBeginsCommand(int number) {
        boolean begins = number == 0 && lastOfClient != MASK;
        lastOfClient = number;
        return begins;
    }
}
