// The functions that libfabric needs of two libraries, in a form that fails: for machines without the network cards that
// these libraries are for. With LEEWAY_OMNI_PATH they are libpsm2's, for Omni-Path cards, else libpsm_infinipath's.

/// No library's success has this code.
#define REFUSE(name) \
  extern "C" [[gnu::visibility("default")]] int name() { return 3; }
/// The text of an error.
#define EXPLAIN(name)                                            \
  extern "C" [[gnu::visibility("default")]] const char* name() { \
    return "this machine has no such card";                      \
  }

#ifdef LEEWAY_OMNI_PATH
REFUSE(psm2_am_get_parameters)
REFUSE(psm2_am_get_source)
REFUSE(psm2_am_register_handlers_2)
REFUSE(psm2_am_reply_short)
REFUSE(psm2_am_request_short)
REFUSE(psm2_ep_close)
REFUSE(psm2_ep_connect)
REFUSE(psm2_ep_disconnect2)
REFUSE(psm2_ep_epid_lookup2)
REFUSE(psm2_ep_open)
REFUSE(psm2_ep_open_opts_get_defaults)
REFUSE(psm2_epaddr_getctxt)
REFUSE(psm2_epaddr_setctxt)
REFUSE(psm2_epaddr_to_epid)
REFUSE(psm2_error_register_handler)
REFUSE(psm2_finalize)
REFUSE(psm2_get_capability_mask)
REFUSE(psm2_info_query)
REFUSE(psm2_init)
REFUSE(psm2_mq_cancel)
REFUSE(psm2_mq_improbe2)
REFUSE(psm2_mq_imrecv)
REFUSE(psm2_mq_init)
REFUSE(psm2_mq_ipeek)
REFUSE(psm2_mq_iprobe2)
REFUSE(psm2_mq_irecv2)
REFUSE(psm2_mq_isend2)
REFUSE(psm2_mq_send2)
REFUSE(psm2_mq_test2)
REFUSE(psm2_mq_wait2)
REFUSE(psm2_poll)
EXPLAIN(psm2_error_get_string)
#else
REFUSE(psm_am_get_parameters)
REFUSE(psm_am_register_handlers)
REFUSE(psm_am_reply_short)
REFUSE(psm_am_request_short)
REFUSE(psm_ep_close)
REFUSE(psm_ep_connect)
REFUSE(psm_ep_epid_lookup)
REFUSE(psm_ep_num_devunits)
REFUSE(psm_ep_open)
REFUSE(psm_ep_open_opts_get_defaults)
REFUSE(psm_epaddr_getctxt)
REFUSE(psm_epaddr_setctxt)
REFUSE(psm_error_register_handler)
REFUSE(psm_finalize)
REFUSE(psm_init)
REFUSE(psm_mq_cancel)
REFUSE(psm_mq_finalize)
REFUSE(psm_mq_init)
REFUSE(psm_mq_ipeek)
REFUSE(psm_mq_iprobe)
REFUSE(psm_mq_irecv)
REFUSE(psm_mq_isend)
REFUSE(psm_mq_send)
REFUSE(psm_mq_test)
EXPLAIN(psm_error_get_string)
#endif
