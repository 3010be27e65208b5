package io.understudy.wire.compress;

/**
 * The numbering of a compressed connection's frames and of the packets in them.
 *
 * <p>Both products number frames from 0 at each command, and check these numbers; after each flush they continue the
 * numbers of packets from that of the frame, and check none of them. On a connection without compression packet numbers
 * are checked. So packets taken out of frames are renumbered as they would have been without compression: from 0 for a
 * command, from 1 for a response that begins while several are due, and otherwise on from the last packet of either
 * side. The start of a response is guessed here, and guessed wrong after a command without a response; a session that
 * tracks its responses numbers them itself.
 *
 * <p>Frame numbers increase by one from the frame that began a command or a response, however many frames of the peer
 * arrive meanwhile: a command may be on its way while responses to earlier ones arrive, and vice versa.
 *
 * <p>Sources: MySQL's {@code sql-common/net_serv.cc} and MariaDB's {@code sql/net_serv.cc}: {@code net_write_packet},
 * {@code net_flush}, {@code my_real_read}.
 */
final class FrameNumbers {
    private static final int MASK = 0xFF;

    private final boolean weAreServer;
    private int nextFrame;
    /** Number of the first frame sent in response to the last frame received. */
    private int respondingFrame;

    private int nextPacket;
    /** Number of the last packet sent. */
    private int lastSent = -1;
    /** Number of commands sent whose responses have not begun. */
    private int due;
    /** Whether the client has begun a command since the last packet sent to it. */
    private boolean commandReceived;
    /** Received number of the client's last packet; -1 if the server has sent one since. */
    private int lastOfClient = -1;

    /** @param weAreServer whether the peer is a client */
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

    /**
     * Returns the number that a received packet would have had without compression.
     *
     * @param continued whether it continues a logical packet: MariaDB Connector/C numbers each physical packet of a
     *     command 0 ({@code ma_net_write_command}), and the servers do not mind
     */
    int packetReceived(int number, boolean continued) {
        if (weAreServer && continued) {
            lastOfClient = nextPacket;
        } else if (weAreServer) {
            if (clientBeginsCommand(number)) {
                nextPacket = 0;
                commandReceived = true;
            }
            lastOfClient = number;
        } else {
            lastOfClient = -1;
            if (number == 1 && due > 0 && !continued) {
                due--;
                nextPacket = 1;
            }
        }
        int is = nextPacket;
        nextPacket = is + 1 & MASK;
        return is;
    }

    /** Returns whether a packet to send needs a frame of its own: it begins a command, a response or a file. */
    boolean begins(int number) {
        boolean goesOn = number == (lastSent + 1 & MASK);
        return weAreServer ? !goesOn || number == 1 && commandReceived : !goesOn || clientBeginsCommand(number);
    }

    /** Takes the number of a packet being sent; if {@link #begins} is true for it, its frame begins with it. */
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

    /**
     * Returns whether the packet begins a command. Number 0 after number 255 only continues a long transfer, such as a
     * file.
     */
    private boolean clientBeginsCommand(int number) {
        return number == 0 && lastOfClient != MASK;
    }
}
