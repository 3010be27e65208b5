package io.understudy.wire.compress;

/**
 * The numbers of a compressed connection: of frames, and of the packets in them.
 *
 * <p>Both products number frames from 0 at each command and check that; after each flush they go on numbering packets from
 * the frames' number, and nobody checks those. A connection without compression has its packets' numbers checked, so what
 * comes out of frames is numbered as it would have been without: on from the last packet, whichever side sent it; from 0
 * for a command, and from 1 for a response that begins while several are due. Where responses begin is a guess here, wrong
 * behind a command without a response; a session that follows its responses numbers them itself.
 *
 * <p>Frames go on by one from the frame that began a command or a response, however many frames of the other side come
 * meanwhile: a command may be on its way while responses to earlier ones arrive, and the other way round.
 *
 * <p>Sources: MySQL's {@code sql-common/net_serv.cc} and MariaDB's {@code sql/net_serv.cc}: {@code net_write_packet},
 * {@code net_flush}, {@code my_real_read}.
 */
final class FrameNumbers {
    private static final int MASK = 0xFF;

    private final boolean weAreServer;
    private int nextFrame;
    /** Number of the first frame of what responds to the last frame received. */
    private int respondingFrame;

    private int nextPacket;
    /** Number of the last packet sent. */
    private int lastSent = -1;
    /** Commands sent whose responses have not begun. */
    private int due;
    /** The client has begun a command since the last packet to it. */
    private boolean commandReceived;
    /** Number, as it came, of the last packet that the client sent; -1 when the server has spoken since. */
    private int lastOfClient = -1;

    /** @param weAreServer the other side is a client */
    FrameNumbers(boolean weAreServer) {
        this.weAreServer = weAreServer;
    }

    void frameReceived(int number) {
        respondingFrame = number + 1 & MASK;
    }

    /** Returns the number of the next frame to send. */
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
                commandReceived = true;
            }
            lastOfClient = number;
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

    /** Whether a packet to send, of this number, needs a frame of its own: it begins a command, a response or a file. */
    boolean begins(int number) {
        boolean goesOn = number == (lastSent + 1 & MASK);
        return weAreServer ? !goesOn || number == 1 && commandReceived : !goesOn || clientBeginsCommand(number);
    }

    /** A packet is sent; a frame that it needs of its own begins with it. */
    void packetSent(int number) {
        nextPacket = number + 1 & MASK;
        if (begins(number)) {
            nextFrame = respondingFrame;
        }
        lastSent = number;
        if (weAreServer) {
            lastOfClient = -1;
            commandReceived = false;
            return;
        }
        if (clientBeginsCommand(number)) {
            due++;
            nextFrame = 0;
        }
        lastOfClient = number;
    }

    /** Number 0 behind number 255 is just the next packet of something long, such as a file. */
    private boolean clientBeginsCommand(int number) {
        return number == 0 && lastOfClient != MASK;
    }
}
