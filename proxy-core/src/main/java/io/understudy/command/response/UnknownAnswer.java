package io.understudy.command.response;

/**
 * The answer to a command that neither product had when this was written. Its bytes flow; nothing says where it ends, so
 * it is over when the client sends its next command.
 */
final class UnknownAnswer extends Answer {
    @Override
    public int packet(AnswerProgress p, int length, int first) {
        return 0;
    }
}
